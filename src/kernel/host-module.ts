interface Host {
  readonly process?: { readonly getBuiltinModule?: (name: string) => unknown }
}

/**
 * A module that Node, Bun and Deno have built in. An import would keep the package from loading where it is missing.
 *
 * @param instead - what the caller can do without it
 *
 * @throws Error that says what to do, in a runtime that does not have it
 */
export function hostModule<Module>(name: `node:${string}`, instead: string): Module {
  const found = (globalThis as Host).process?.getBuiltinModule?.(name)
  if (found === undefined)
    throw new Error(
      `this runtime has no ${name}: set the flag nodejs_compat on Cloudflare Workers; elsewhere ${instead}`,
    )
  // The host's module of that name.
  return found as Module
}
