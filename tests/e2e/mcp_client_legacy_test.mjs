// The official client of the 2025 revisions, over standard input and output.

import assert from "node:assert/strict";

import { load } from "../clients/load.mjs";
import { journey, prepare } from "./mcp_clients/journey.mjs";

const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

const server = prepare();
try {
  const client = new Client({ name: "candor-test", version: "1" });
  await client.connect(new StdioClientTransport({ command: server.command, args: server.args, env: server.env }));
  await client.ping();
  await client.setLoggingLevel("error");
  await journey(client, "legacy");
  const { tools } = await client.listTools();
  assert.ok(JSON.stringify(tools).length < 6000);
  await client.close();
} finally {
  server.remove();
}
