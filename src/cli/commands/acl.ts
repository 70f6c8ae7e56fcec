import { fieldFlag } from '../client/flags.ts'
import { membersOf } from '../client/members.ts'
import { sourceText } from '../client/pairs.ts'
import { printField } from '../client/print.ts'
import type { Scheduler, SchedulerFlags } from '../client/scheduler.ts'
import { printed, schedulerCommand } from '../client/scheduler-command.ts'
import { objectCommands, showObject } from '../client/scheduler-objects.ts'
import type { Flags, Group } from '../command/declaration.ts'

const descriptionFlag = {
  description: { type: 'string', value: 'TEXT', about: 'a description' },
} as const satisfies Flags

const policyFlag = {
  policy: { type: 'string', value: 'NAME', about: 'a policy that it grants (repeatable)', multiple: true },
} as const satisfies Flags

/** Prints an object that was created, or one of its fields. */
function tell(flags: SchedulerFlags & { readonly field: string | undefined }, made: unknown): void {
  if (flags.field !== undefined) printField(membersOf(made), flags.field, 'the answer')
  else if (!printed(flags, made)) showObject(made)
}

const bootstrap = schedulerCommand({
  about: 'create the first management token, and print it; works once',
  flags: fieldFlag,
  words: [],
  examples: [
    {
      run: 'SCHEDULER_TOKEN=$(plinth acl bootstrap -address=$NEW -field=SecretID) plinth acl token list -address=$NEW',
      about: 'use it at once',
    },
  ],
  run: async (scheduler, { flags }) =>
    tell(flags, await scheduler.ask('PUT', 'acl/bootstrap', 'creating the first token', { body: {} })),
})

const applyPolicy = schedulerCommand({
  about: 'create or replace a policy',
  flags: descriptionFlag,
  words: [
    { name: 'NAME', about: 'its name' },
    { name: 'FILE', about: 'its rules in HCL or JSON; - is standard input' },
  ],
  examples: [
    {
      run: `echo 'namespace "default" { policy = "read" }' | plinth acl policy apply read-jobs -`,
      about: 'a policy that may read the jobs of a namespace',
    },
  ],
  run: async (scheduler, { flags, words: [name, file] }) => {
    const body = { Name: name, Description: flags.description, Rules: await sourceText(file) }
    const path = `acl/policy/${encodeURIComponent(name)}`
    const answer = await scheduler.ask('PUT', path, `writing the policy ${name}`, { body })
    if (!printed(flags, answer)) process.stdout.write(`wrote the policy ${name}\n`)
  },
})

const policy = {
  about: 'ACL policies of the scheduler',
  commands: {
    apply: applyPolicy,
    ...objectCommands({
      group: 'acl policy',
      one: 'a policy',
      many: 'the policies',
      word: { name: 'NAME', about: 'the name of a policy' },
      listed: 'acl/policies',
      at: 'acl/policy',
      columns: ['Name', 'Description'],
      sample: { show: 'read-jobs', delete: 'read-jobs' },
    }),
  },
} as const satisfies Group

const createRole = schedulerCommand({
  about: 'create a role: a set of policies to give to tokens',
  flags: { ...policyFlag, ...descriptionFlag, ...fieldFlag },
  words: [{ name: 'NAME', about: 'its name' }],
  examples: [
    { run: 'plinth acl role create -policy=deploy deployers', about: 'tokens of it have the policy deploy' },
  ],
  run: async (scheduler, { flags, words: [name] }) => {
    const Policies = flags.policy.map((Name) => ({ Name }))
    const body = { Name: name, Description: flags.description, Policies }
    tell(flags, await scheduler.ask('PUT', 'acl/role', `creating the role ${name}`, { body }))
  },
})

/** The ID of a role, by its ID or its name. */
async function roleId(scheduler: Scheduler, given: string): Promise<string> {
  const roles = await scheduler.rows('acl/roles', `looking up the role ${given}`)
  return String(roles.find(({ Name }) => Name === given)?.['ID'] ?? given)
}

const role = {
  about: 'ACL roles of the scheduler',
  commands: {
    create: createRole,
    ...objectCommands({
      group: 'acl role',
      one: 'a role',
      many: 'the roles',
      word: { name: 'ROLE', about: 'the ID or the name of a role' },
      listed: 'acl/roles',
      at: 'acl/role',
      columns: ['ID', 'Name', 'Description', 'Policies'],
      idOf: roleId,
      sample: { show: 'deployers', delete: 'deployers' },
    }),
  },
} as const satisfies Group

const createToken = schedulerCommand({
  about: 'create a token, and print it',
  flags: {
    name: { type: 'string', value: 'NAME', about: 'a display name' },
    type: {
      type: 'string',
      value: 'TYPE',
      about: 'client, or management for all rights (client)',
      choices: ['client', 'management'],
    },
    ...policyFlag,
    role: { type: 'string', value: 'ROLE', about: 'the name of a role (repeatable)', multiple: true },
    ttl: { type: 'string', value: 'DURATION', about: 'its TTL, such as 8h (no expiry)' },
    ...fieldFlag,
  },
  words: [],
  examples: [
    { run: 'plinth acl token create -name=ci -policy=deploy -ttl=8h', about: 'a token for a pipeline' },
    {
      run: 'SCHEDULER_TOKEN=$(plinth acl token create -type=management -field=SecretID)',
      about: 'stores only the secret of the token',
    },
  ],
  run: async (scheduler, { flags }) => {
    const body = {
      Name: flags.name,
      Type: flags.type ?? 'client',
      Policies: flags.policy,
      Roles: flags.role.map((Name) => ({ Name })),
      ExpirationTTL: flags.ttl,
    }
    tell(flags, await scheduler.ask('PUT', 'acl/token', 'creating a token', { body }))
  },
})

const token = {
  about: 'ACL tokens of the scheduler',
  commands: {
    create: createToken,
    ...objectCommands({
      group: 'acl token',
      one: 'a token',
      many: 'the tokens, without their secrets',
      word: { name: 'ACCESSOR', about: 'the accessor of a token; self is the token in use' },
      listed: 'acl/tokens',
      at: 'acl/token',
      columns: ['Name', 'Type', 'Global', 'AccessorID', 'ExpirationTime'],
      sample: { show: 'self', delete: '$(plinth acl token create -type=management -field=AccessorID)' },
    }),
  },
} as const satisfies Group

export const acl = {
  about: 'access control of the scheduler: policies, roles and tokens',
  commands: { bootstrap, policy, role, token },
} as const satisfies Group
