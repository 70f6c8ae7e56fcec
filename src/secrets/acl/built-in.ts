import type { Policy } from './model.ts'

/**
 * The policy that allows everything in its namespace and below. It has no text.
 */
export const rootPolicy: Policy = { name: 'root', rules: [] }

/**
 * The text of the `default` policy of a new service: the rights of every token on itself.
 */
export const defaultPolicyText = `# The rights of every token that was not created without this policy.

# Look at, renew and end itself.
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/renew-self" { capabilities = ["update"] }
path "auth/token/revoke-self" { capabilities = ["update"] }

# Ask what it may do.
path "sys/capabilities-self" { capabilities = ["update"] }
path "sys/internal/ui/resultant-acl" { capabilities = ["read"] }

# Read its own entity.
path "identity/entity/id/{{identity.entity.id}}" { capabilities = ["read"] }
path "identity/entity/name/{{identity.entity.name}}" { capabilities = ["read"] }

# Look up and renew leases it knows the name of.
path "sys/renew" { capabilities = ["update"] }
path "sys/renew/*" { capabilities = ["update"] }
path "sys/leases/renew" { capabilities = ["update"] }
path "sys/leases/lookup" { capabilities = ["update"] }

# Use its own cubbyhole.
path "cubbyhole/*" { capabilities = ["create", "read", "update", "delete", "list"] }

# Wrap a response, and open wrapped ones.
path "sys/wrapping/wrap" { capabilities = ["update"] }
path "sys/wrapping/lookup" { capabilities = ["update"] }
path "sys/wrapping/unwrap" { capabilities = ["update"] }

# Tools that keep nothing.
path "sys/tools/hash" { capabilities = ["update"] }
path "sys/tools/hash/*" { capabilities = ["update"] }
`

/**
 * The text of the policy of wrapping tokens: unwrap the response, nothing else.
 */
export const wrappingPolicyText = `path "cubbyhole/response" { capabilities = ["create", "read"] }
path "sys/wrapping/unwrap" { capabilities = ["update"] }
`
