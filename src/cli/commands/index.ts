import type { Group } from '../command/declaration.ts'
import { acl } from './acl.ts'
import { alloc } from './alloc.ts'
import { backup } from './backup.ts'
import { box } from './box/index.ts'
import { check } from './check.ts'
import { completion } from './completion.ts'
import { deletePath } from './delete.ts'
import { deployment } from './deployment.ts'
import { evaluation } from './eval.ts'
import { filter } from './filter.ts'
import { job } from './job.ts'
import { kv } from './kv/index.ts'
import { list } from './list.ts'
import { login } from './login.ts'
import { module } from './module/index.ts'
import { audit, auth, secrets } from './mounts.ts'
import { namespace } from './namespace.ts'
import { node } from './node.ts'
import { operator } from './operator.ts'
import { pathHelp } from './path-help.ts'
import { policy } from './policy.ts'
import { read } from './read.ts'
import { registry } from './registry/index.ts'
import { restore } from './restore.ts'
import { runner } from './runner.ts'
import { serve } from './serve.ts'
import { status } from './status.ts'
import { token } from './token.ts'
import { variable } from './var.ts'
import { write } from './write.ts'

/** All commands: a command or group is a line here and a file in this folder. */
export const plinth: Group = {
  about: 'secrets, scheduler, gateway, box catalog and module registry in one program',
  commands: {
    serve,
    runner,
    filter,
    module,
    registry,
    box,
    login,
    status,
    kv,
    read,
    write,
    list,
    delete: deletePath,
    'path-help': pathHelp,
    token,
    secrets,
    auth,
    audit,
    policy,
    operator,
    job,
    alloc,
    eval: evaluation,
    deployment,
    node,
    namespace,
    acl,
    var: variable,
    backup,
    restore,
    check,
    completion,
  },
}
