// The official client of the 2026 revision: pinned to it, finding it out by itself, and speaking to us as to an old server.

import assert from "node:assert/strict";

import { load } from "../clients/load.mjs";
import { journey, prepare } from "./mcp_clients/journey.mjs";

const { Client } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const runs = [
  { mode: { pin: "2026-07-28" }, version: "2026-07-28" },
  { mode: "auto", version: "2026-07-28" },
  { mode: "legacy", version: "2025-11-25" },
];
for (const { mode, version } of runs) {
  const server = prepare();
  try {
    const client = new Client({ name: "candor-test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ command: server.command, args: server.args, env: server.env }));
    assert.equal(client.getNegotiatedProtocolVersion(), version);
    console.log(`mode ${JSON.stringify(mode)}`);
    await journey(client, "modern");
    if (version === "2026-07-28") {
      const subscription = await client.listen({ toolsListChanged: true });
      assert.deepEqual(subscription.honoredFilter, {});
      await subscription.close();
    }
    await client.close();
  } finally {
    server.remove();
  }
}
