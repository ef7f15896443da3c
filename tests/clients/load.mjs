// Imports a package from where tools/fetch_test_clients put it, which is not beside the tests.
//
//   const { Client } = await load("@modelcontextprotocol/client");
//   const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

if (!process.env.CANDOR_CLIENTS) {
  throw new Error("CANDOR_CLIENTS is not set: start this script with tools/with_test_clients");
}
const root = process.env.CANDOR_CLIENTS;

// The file that a package's `exports` gives for `import`; node's own resolver looks only beside the caller.
function entry(specifier) {
  const [scope, name, ...rest] = specifier.split("/");
  const folder = join(root, "node_modules", scope, name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const wanted = rest.length > 0 ? `./${rest.join("/")}` : ".";
  for (const [pattern, target] of Object.entries(manifest.exports ?? {})) {
    const file = pick(target);
    if (!file) continue;
    if (pattern === wanted) return join(folder, file);
    const [before, after] = pattern.split("*");
    if (after !== undefined && wanted.startsWith(before) && wanted.endsWith(after)) {
      return join(folder, file.replace("*", wanted.slice(before.length, wanted.length - after.length)));
    }
  }
  return createRequire(join(root, "package.json")).resolve(specifier);
}

function pick(target) {
  if (typeof target === "string") return target;
  return target ? pick(target.import ?? target.node ?? target.default) : undefined;
}

export function load(specifier) {
  return import(pathToFileURL(entry(specifier)).href);
}
