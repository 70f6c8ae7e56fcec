import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { createGateway } from '../../src/gateway/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { served as catalogServed } from '../catalog/catalog.ts'
import { served as registryServed } from '../registry/served.ts'
import { given as schedulerGiven } from '../scheduler/harness.ts'
import { client } from '../secrets/service/client.ts'
import { askingAsDocumented, type RecordedAnswer, recordedAnswers } from './documented.ts'
import { catalogTours } from './tours/catalog.ts'
import { registryTours } from './tours/registry.ts'
import { schedulerTours } from './tours/scheduler.ts'
import { secretsTours } from './tours/secrets.ts'
import { repeatable, tour } from './tours/tour.ts'

const job = { ID: 'web', TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 'server' }] }] }

describe('what a service answers is what its OpenAPI document says', () => {
  it('secrets', async () => {
    const { service, rootToken } = await client({ crypto: repeatable() })
    const ask = askingAsDocumented(service, { 'X-Secrets-Token': rootToken })
    await tour(ask, [
      ['POST /v1/secret/data/app/db', 200, { data: { password: 'x', deep: [1, null] }, options: { cas: 0 } }],
      ['POST /v1/secret/data/app/db', 400, { data: {}, options: { cas: 7 } }],
      ['GET /v1/secret/data/app/db', 200],
      ['GET /v1/secret/data/app/db?version=x', 400],
      ['GET /v1/secret/subkeys/app/db', 200],
      ['GET /v1/secret/metadata/app/db', 200],
      ['GET /v1/secret/metadata/app?list=true', 200],
      ['GET /v1/secret/metadata?list=true', 200],
      ['POST /v1/secret/metadata/app/db', 204, { max_versions: 3, custom_metadata: { owner: 'ada' } }],
      ['DELETE /v1/secret/data/app/db', 204],
      ['GET /v1/secret/data/app/db', 404],
      ['POST /v1/secret/undelete/app/db', 204, { versions: [1] }],
      ['GET /v1/secret/data/nowhere', 404],
      ['GET /v1/secret/config', 200],
      ['POST /v1/sys/mounts/kv', 204, { type: 'kv', config: { max_lease_ttl: '1h' } }],
      ['GET /v1/sys/mounts', 200],
      ['GET /v1/sys/mounts/kv', 200],
      ['GET /v1/sys/mounts/kv/tune', 200],
      ['POST /v1/kv/plain', 204, { a: 1 }],
      ['GET /v1/kv/plain', 200],
      ['POST /v1/auth/token/create', 200, { policies: ['default'], ttl: '1h', meta: { for: 'test' } }],
      ['GET /v1/auth/token/lookup-self', 200],
      ['GET /v1/auth/token/accessors?list=true', 200],
      ['POST /v1/auth/token/roles/ci', 204, { allowed_policies: 'a,b', token_period: 60 }],
      ['GET /v1/auth/token/roles/ci', 200],
      ['POST /v1/auth/idp/config', 400, {}],
      ['POST /v1/auth/idp/config', 204, { org_name: 'acme', token_policies: ['dev'] }],
      ['GET /v1/auth/idp/config', 200],
      ['POST /v1/auth/idp/users/ada', 204, { policies: 'dev', groups: ['ops'] }],
      ['GET /v1/auth/idp/users/ada', 200],
      ['GET /v1/auth/idp/users?list=true', 200],
      ['POST /v1/sys/policies/acl/dev', 204, { policy: 'path "secret/*" { capabilities = ["read"] }' }],
      ['GET /v1/sys/policies/acl/dev', 200],
      ['GET /v1/sys/policy', 200],
      ['POST /v1/sys/capabilities-self', 200, { paths: ['secret/data/x'] }],
      ['GET /v1/sys/internal/ui/resultant-acl', 200],
      ['GET /v1/sys/internal/ui/mounts', 200],
      ['GET /v1/sys/config/cors', 200],
      ['POST /v1/sys/namespaces/team', 200, { custom_metadata: { a: 'b' } }],
      ['GET /v1/sys/namespaces?list=true', 200],
      ['POST /v1/sys/tools/hash', 200, { input: 'YQ==' }],
      ['POST /v1/sys/tools/random', 200, { bytes: 8 }],
      ['GET /v1/sys/key-status', 200],
      ['GET /v1/sys/rekey/init', 200],
      ['GET /v1/sys/generate-root/attempt', 200],
      ['GET /v1/sys/health', 200],
      ['GET /v1/sys/leader', 200],
      ['GET /v1/sys/seal-status', 200],
      ['POST /v1/sys/seal', 204],
      ['GET /v1/sys/health', 503],
      ['GET /v1/secret/data/app/db', 503],
    ])
    await service.close()
  })

  it('scheduler', async () => {
    const { scheduler } = await schedulerGiven({
      nodes: [{ ID: '4d2ba53b-2e2c-3d3b-4a9e-5a9c5d6e7f80', Name: 'one', NodePool: 'gpu', Status: 'ready' }],
      pools: [{ Name: 'gpu' }],
    })
    await tour(askingAsDocumented(scheduler), [
      ['PUT /v1/jobs', 200, { Job: job }],
      ['PUT /v1/jobs', 400, { Job: {} }],
      ['GET /v1/jobs?meta=true', 200],
      ['GET /v1/jobs?filter=Nope==1', 400],
      ['GET /v1/job/web', 200],
      ['GET /v1/job/nowhere', 404],
      ['GET /v1/job/web/summary', 200],
      ['GET /v1/job/web/versions?diffs=true', 200],
      ['GET /v1/job/web/allocations', 200],
      ['GET /v1/job/web/evaluations', 200],
      ['GET /v1/job/web/deployment', 200],
      ['PUT /v1/job/web/plan', 200, { Job: { ...job, Priority: 70 }, Diff: true }],
      ['PUT /v1/job/web/scale', 200, { Target: { Group: 'app' }, Count: 3 }],
      ['GET /v1/job/web/scale', 200],
      ['PUT /v1/job/web/evaluate', 200],
      ['PUT /v1/job/web/stable', 200, { JobVersion: 0, Stable: true }],
      ['DELETE /v1/job/web', 200],
      ['PUT /v1/validate/job', 200, { Job: job }],
      ['PUT /v1/jobs/parse', 200, { JobHCL: 'job "web" { group "app" { task "server" {} } }' }],
      ['POST /v1/node/pool', 200, { Name: 'new', SchedulerConfiguration: { SchedulerAlgorithm: 'spread' } }],
      ['GET /v1/node/pools', 200],
      ['GET /v1/node/pool/new', 200],
      ['GET /v1/node/pool/gpu/nodes?resources=true&os=true', 200],
      ['GET /v1/node/pool/default/jobs', 200],
      ['DELETE /v1/node/pool/new', 200],
      ['GET /v1/nodes', 200],
      ['GET /v1/node/4d2ba53b-2e2c-3d3b-4a9e-5a9c5d6e7f80', 200],
      ['PUT /v1/node/4d2ba53b-2e2c-3d3b-4a9e-5a9c5d6e7f80/eligibility', 200, { Eligibility: 'ineligible' }],
      ['GET /v1/evaluations', 200],
      ['GET /v1/evaluations/count', 200],
      ['GET /v1/deployments', 200],
      ['GET /v1/allocations', 200],
      ['POST /v1/search', 200, { Prefix: 'we', Context: 'jobs' }],
      ['POST /v1/search/fuzzy', 200, { Text: 'web' }],
      ['GET /v1/operator/scheduler/configuration', 200],
      ['PUT /v1/operator/scheduler/configuration', 200, { SchedulerAlgorithm: 'spread' }],
      ['GET /v1/agent/members', 200],
      ['GET /v1/agent/self', 200],
      ['GET /v1/agent/health', 200],
      ['GET /v1/regions', 200],
    ])
    await scheduler.close()
  })

  it('gateway', async () => {
    const gateway = createGateway({ worker: true })
    await tour(askingAsDocumented(gateway), [
      ['GET /health', 200],
      ['GET /health?worker_info=1', 200],
      ['GET /health?worker_info=maybe', 400],
    ])
    await gateway.close()
  })

  it('catalog', async () => {
    const { catalog, token } = await catalogServed({ crypto: repeatable() })
    const box = '/api/v2/box/alice/tiny'
    const provider = { name: 'qemu', architecture: 'amd64', url: 'https://example.com/x.box' }
    await tour(askingAsDocumented(catalog, { authorization: `Bearer ${token}` }), [
      ['POST /api/v2/boxes', 200, { box: { name: 'tiny', is_private: false } }],
      ['POST /api/v2/boxes', 422, { box: { name: 'tiny' } }],
      [`POST ${box}/versions`, 200, { version: { version: '1.0.0', description: '*new*' } }],
      [`POST ${box}/version/1.0.0/providers`, 200, { provider }],
      [`PUT ${box}/version/1.0.0/release`, 200],
      [`GET ${box}`, 200],
      [`GET ${box}/version/1.0.0`, 200],
      [`GET ${box}/version/1.0.0/provider/qemu/amd64`, 200],
      ['GET /api/v1/box/alice/tiny', 200],
      ['GET /api/v1/box/alice/nothing', 404],
      ['GET /api/v2/search?q=tiny', 200],
      ['GET /api/v2/search?sort=size', 422],
      ['GET /api/v2/user/alice', 200],
      ['GET /api/v1/authenticate', 200],
      ['POST /api/v1/authenticate', 200, { user: { login: 'alice', password: 'correct horse' } }],
      ['GET /alice/tiny', 200],
      ['GET /api/v2/vagrant/alice/tiny', 200],
      [`DELETE ${box}`, 200],
    ])
    await catalog.close()
  })

  it('registry', async () => {
    const { registry } = await registryServed({ crypto: repeatable() })
    await tour(askingAsDocumented(registry), [
      ['GET /.well-known/terraform.json', 200],
      ['GET /v1/modules?limit=1&offset=1', 200],
      ['GET /v1/modules/acme', 200],
      ['GET /v1/modules/acme/vpc', 200],
      ['GET /v1/modules/acme/vpc/aws', 200],
      ['GET /v1/modules/acme/vpc/aws/versions', 200],
      ['GET /v1/modules/acme/vpc/aws/1.0.0', 200],
      ['GET /v1/modules/acme/vpc/aws/1.0.0/download', 204],
      ['GET /v1/modules/acme/vpc/aws/download', 302],
      ['GET /v1/modules/acme/vpc/nowhere', 404],
      ['GET /v1/modules/search?q=network', 200],
      ['GET /v1/modules/search', 400],
      ['GET /v2/modules/acme/vpc/aws/downloads/summary', 200],
    ])
    await registry.close()
  })

  it('secrets, the rest of its lists and methods', async () => {
    const { service, rootToken } = await client({ crypto: repeatable() })
    await tour(askingAsDocumented(service, { 'X-Secrets-Token': rootToken }), [
      ['GET /v1/secret/config', 200],
      ['GET /v1/auth/token/lookup-self', 200],
      ['GET /v1/auth/token/lookup', 200],
      ['GET /v1/auth/token/accessors?list=true', 200],
      ['GET /v1/sys/init', 200],
      ['GET /v1/sys/seal-status', 200],
      ['GET /v1/sys/health', 200],
      ['GET /v1/sys/leader', 200],
      ['GET /v1/sys/key-status', 200],
      ['GET /v1/sys/rekey/init', 200],
      ['GET /v1/sys/generate-root/attempt', 200],
      ['GET /v1/sys/generate-root', 200],
      ['GET /v1/sys/mounts', 200],
      ['GET /v1/sys/auth', 200],
      ['GET /v1/sys/internal/ui/mounts', 200],
      ['GET /v1/sys/policies/acl?list=true', 200],
      ['GET /v1/sys/policy', 200],
      ['GET /v1/sys/policy?list=true', 200],
      ['GET /v1/sys/internal/ui/resultant-acl', 200],
      ['GET /v1/sys/config/cors', 200],
      ['GET /v1/sys/locked-users', 200],
      ['GET /v1/sys/host-info', 200],
      ['GET /v1/sys/metrics', 200],
      ['GET /v1/sys/internal/counters/requests', 200],
      ['GET /v1/sys/internal/counters/tokens', 200],
      ['GET /v1/sys/internal/counters/entities', 200],
      ['GET /v1/sys/internal/counters/activity', 204],
      ['GET /v1/sys/audit', 200],
      ['GET /v1/sys/internal/specs/openapi', 200],
      ['POST /v1/secret/data/app', 200, { data: { a: 1 } }],
      ['POST /v1/secret/delete/app', 204, { versions: [1] }],
      ['POST /v1/secret/destroy/app', 204, { versions: [1] }],
      ['POST /v1/secret/config', 204, { max_versions: 5 }],
      ['DELETE /v1/secret/metadata/app', 204],
      ['POST /v1/sys/mounts/transit', 204, { type: 'transit' }],
      ['POST /v1/transit/keys/app', 200, {}],
      ['GET /v1/transit/keys/app', 200],
      ['POST /v1/transit/encrypt/app', 200, { plaintext: 'YQ==' }],
      ['POST /v1/transit/keys/app/rotate', 200],
      ['POST /v1/transit/hmac/app', 200, { input: 'YQ==' }],
      ['GET /v1/transit/keys?list=true', 200],
      ['GET /v1/transit/keys', 405],
      ['GET /v1/transit/keys/none', 404],
      ['DELETE /v1/transit/keys/app', 400],
      ['GET /v1/transit/backup/app', 500],
      ['POST /v1/transit/decrypt/none', 400, { ciphertext: 'vault:v1:YQ==' }],
      ['GET /v1/auth/token/accessors', 405],
      ['GET /v1/sys/rekey/backup', 400],
      ['DELETE /v1/sys/rekey/backup', 204],
      ['POST /v1/sys/auth/userpass', 204, { type: 'userpass' }],
      ['POST /v1/auth/userpass/users/ada', 204, { password: 'hunter2' }],
      ['GET /v1/auth/userpass/users/ada', 200],
      ['GET /v1/auth/userpass/users?list=true', 200],
      ['POST /v1/auth/userpass/login/ada', 200, { password: 'hunter2' }],
      ['POST /v1/auth/userpass/users/ada/password', 204, { password: 'hunter3' }],
      ['DELETE /v1/auth/userpass/users/ada', 204],
      ['POST /v1/sys/auth/approle', 204, { type: 'approle' }],
      ['POST /v1/auth/approle/role/ci', 204, { token_ttl: '1h' }],
      ['GET /v1/auth/approle/role/ci', 200],
      ['GET /v1/auth/approle/role?list=true', 200],
      ['GET /v1/auth/approle/role/ci/role-id', 200],
      ['POST /v1/auth/approle/role/ci/secret-id', 200, {}],
      ['DELETE /v1/auth/approle/role/ci', 204],
      ['POST /v1/auth/token/lookup', 200, { token: 'root' }],
      ['DELETE /v1/auth/token/roles/ci', 204],
      ['POST /v1/sys/internal/acl/explain', 200, { path: 'secret/data/x', operation: 'read' }],
      ['POST /v1/sys/internal/acl/who', 200, { path: 'secret/data/x', operation: 'read' }],
      ['POST /v1/sys/mounts/secret/tune', 204, { max_lease_ttl: '2h' }],
      ['GET /v1/sys/auth/userpass/tune', 200],
      ['POST /v1/sys/remount', 200, { from: 'transit', to: 'keys' }],
      ['DELETE /v1/sys/mounts/keys', 204],
      ['DELETE /v1/sys/auth/approle', 204],
      ['DELETE /v1/sys/policies/acl/dev', 204],
      ['GET /v1/sys/leases/lookup/auth?list=true', 200],
      ['POST /v1/sys/capabilities', 200, { token: 'root', paths: ['secret/data/x'] }],
      ['POST /v1/sys/rotate', 204],
      ['POST /v1/identity/entity', 200, { name: 'ada' }],
      ['GET /v1/identity/entity/name/ada', 200],
      ['GET /v1/identity/entity/name?list=true', 200],
      ['GET /v1/identity/entity/id?list=true', 200],
      ['POST /v1/identity/group', 200, { name: 'ops' }],
      ['GET /v1/identity/group/name/ops', 200],
      ['GET /v1/identity/group/name?list=true', 200],
      ['GET /v1/identity/group/id?list=true', 200],
      ['DELETE /v1/identity/entity/name/ada', 204],
      ['DELETE /v1/identity/group/name/ops', 204],
      ['POST /v1/sys/auth/jwt', 204, { type: 'jwt' }],
      [
        'POST /v1/auth/jwt/role/ci',
        204,
        { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['plinth'] },
      ],
      ['GET /v1/auth/jwt/role/ci', 200],
      ['GET /v1/auth/jwt/role?list=true', 200],
      ['DELETE /v1/auth/jwt/role/ci', 204],
      ['POST /v1/cubbyhole/a', 204, { b: 1 }],
      ['GET /v1/cubbyhole/a', 200],
      ['DELETE /v1/cubbyhole/a', 204],
    ])
    await service.close()
  })

  it('scheduler, its namespaces, variables and further job calls', async () => {
    const { scheduler } = await schedulerGiven({
      nodes: [{ ID: '4d2ba53b-2e2c-3d3b-4a9e-5a9c5d6e7f80', Name: 'one', NodePool: 'gpu', Status: 'ready' }],
      pools: [{ Name: 'gpu' }],
    })
    await tour(askingAsDocumented(scheduler), [
      ['PUT /v1/namespace', 200, { Name: 'team', Description: 'a team' }],
      ['GET /v1/namespaces', 200],
      ['GET /v1/namespace/team', 200],
      ['PUT /v1/namespace/team', 200, { Name: 'team', Description: 'x' }],
      ['DELETE /v1/namespace/team', 200],
      [
        'PUT /v1/jobs',
        200,
        { Job: { ID: 'web', TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 'server' }] }] } },
      ],
      [
        'PUT /v1/jobs',
        200,
        {
          Job: {
            ID: 'web',
            TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 'server' }] }],
            Priority: 60,
          },
          Submission: { Source: 'job "web" {}', Format: 'hcl2' },
        },
      ],
      [
        'PUT /v1/job/web',
        200,
        { Job: { ID: 'web', TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 'server' }] }] } },
      ],
      ['GET /v1/job/web/deployments', 200],
      ['GET /v1/job/web/submission?version=1', 200],
      ['PUT /v1/job/web/revert', 200, { JobVersion: 0 }],
      [
        'PUT /v1/jobs',
        200,
        {
          Job: {
            ID: 'nightly',
            Type: 'batch',
            Periodic: { Enabled: true, Spec: '0 3 * * *' },
            TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 'server' }] }],
          },
        },
      ],
      ['PUT /v1/job/nightly/periodic/force', 200],
      [
        'PUT /v1/jobs',
        200,
        {
          Job: {
            ID: 'mail',
            Type: 'batch',
            ParameterizedJob: {},
            TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 'server' }] }],
          },
        },
      ],
      ['PUT /v1/job/mail/dispatch', 200, {}],
      ['GET /v1/node/4d2ba53b-2e2c-3d3b-4a9e-5a9c5d6e7f80/allocations', 200],
      [
        'PUT /v1/node/4d2ba53b-2e2c-3d3b-4a9e-5a9c5d6e7f80/drain',
        200,
        { DrainSpec: { Deadline: 3600000000000 } },
      ],
      ['PUT /v1/node/4d2ba53b-2e2c-3d3b-4a9e-5a9c5d6e7f80/evaluate', 200],
      ['PUT /v1/node/4d2ba53b-2e2c-3d3b-4a9e-5a9c5d6e7f80/purge', 200],
      ['PUT /v1/system/gc', 200],
      ['PUT /v1/system/reconcile/summaries', 200],
      ['GET /v1/status/leader', 200],
      ['GET /v1/status/peers', 200],
      ['GET /v1/metrics', 200],
      ['GET /v1/scaling/policies', 200],
      ['PUT /v1/var/app/db', 200, { Items: { user: 'ada' } }],
      ['GET /v1/vars', 200],
      ['GET /v1/var/app/db', 200],
      ['DELETE /v1/var/app/db', 204],
      ['PUT /v1/node/pools', 200, { Name: 'big' }],
      ['GET /v1/evaluation/538cc03a-a056-4da5-990e-89a11d2b4a48', 200],
      ['GET /v1/evaluation/538cc03a-a056-4da5-990e-89a11d2b4a48/allocations', 200],
    ])
    await scheduler.close()
  })

  it('catalog, as an administrator', async () => {
    const { catalog } = await catalogServed({ crypto: repeatable() })
    await catalog.putUser({ username: 'alice', administrator: true })
    const { token } = unwrap(await catalog.createToken('alice', { description: 'admin' }))
    await tour(askingAsDocumented(catalog, { authorization: `Bearer ${token}` }), [
      ['GET /api/v2/authenticate', 200],
      ['GET /api/v1/user/alice', 200],
      ['GET /api/v1/search?q=tiny', 200],
      ['POST /api/v2/boxes', 200, { box: { name: 'tiny', is_private: false } }],
      ['PUT /api/v2/box/alice/tiny', 200, { box: { short_description: 'small' } }],
      ['POST /api/v2/box/alice/tiny/versions', 200, { version: { version: '1.0.0' } }],
      ['PUT /api/v2/box/alice/tiny/version/1.0.0', 200, { version: { description: 'x' } }],
      [
        'POST /api/v2/box/alice/tiny/version/1.0.0/providers',
        200,
        { provider: { name: 'qemu', architecture: 'amd64', url: 'https://example.com/x.box' } },
      ],
      [
        'PUT /api/v2/box/alice/tiny/version/1.0.0/provider/qemu/amd64',
        200,
        { provider: { url: 'https://example.com/y.box' } },
      ],
      ['GET /api/v2/box/alice/tiny/version/1.0.0/provider/qemu/amd64/upload', 200],
      ['GET /api/v2/box/alice/tiny/version/1.0.0/provider/qemu/amd64/upload/direct', 200],
      ['PUT /api/v2/box/alice/tiny/version/1.0.0/release', 200],
      ['PUT /api/v2/box/alice/tiny/version/1.0.0/revoke', 200],
      ['DELETE /api/v2/box/alice/tiny/version/1.0.0/provider/qemu/amd64', 200],
      ['DELETE /api/v2/box/alice/tiny/version/1.0.0', 200],
      ['POST /api/v1/boxes', 200, { box: { name: 'one' } }],
      ['PUT /api/v1/box/alice/one', 200, { box: { short_description: 'small' } }],
      ['POST /api/v1/box/alice/one/versions', 200, { version: { version: '1.0.0' } }],
      ['GET /api/v1/box/alice/one/version/1.0.0', 200],
      ['PUT /api/v1/box/alice/one/version/1.0.0', 200, { version: { description: 'x' } }],
      [
        'POST /api/v1/box/alice/one/version/1.0.0/providers',
        200,
        { provider: { name: 'qemu', url: 'https://example.com/x.box' } },
      ],
      ['GET /api/v1/box/alice/one/version/1.0.0/provider/qemu', 200],
      [
        'PUT /api/v1/box/alice/one/version/1.0.0/provider/qemu',
        200,
        { provider: { url: 'https://example.com/y.box' } },
      ],
      ['GET /api/v1/box/alice/one/version/1.0.0/provider/qemu/upload', 200],
      ['GET /api/v1/box/alice/one/version/1.0.0/provider/qemu/upload/direct', 200],
      ['PUT /api/v1/box/alice/one/version/1.0.0/release', 200],
      ['PUT /api/v1/box/alice/one/version/1.0.0/revoke', 200],
      ['DELETE /api/v1/box/alice/one/version/1.0.0/provider/qemu', 200],
      ['DELETE /api/v1/box/alice/one/version/1.0.0', 200],
      ['DELETE /api/v1/box/alice/one', 200],
      ['GET /plinth/v1/users', 200],
      ['GET /plinth/v1/organizations', 200],
      ['GET /plinth/v1/tokens', 200],
      ['POST /plinth/v1/tokens', 200, { username: 'alice', description: 'ci' }],
      ['GET /plinth/v1/audit', 200],
      ['GET /plinth/v1/owners/alice/members', 200],
      ['GET /plinth/v1/owners/alice/quota', 200],
      ['PUT /plinth/v1/owners/alice/quota', 200, { bytes: 100000 }],
      ['POST /plinth/v1/owners/alice/prune', 200, { keep_versions: 3 }],
      ['DELETE /api/v1/authenticate', 204],
    ])
    await catalog.close()
  })

  it('registry, as an administrator', async () => {
    const { registry } = await registryServed({ crypto: repeatable(), publishers: () => undefined })
    const { token } = unwrap(await registry.createToken({ name: 'boss', administrator: true }))
    await tour(askingAsDocumented(registry, { authorization: `Bearer ${token}` }), [
      ['GET /.well-known/registry.json', 200],
      ['PATCH /v1/modules/acme/vpc/aws', 204, { description: 'x' }],
      ['PUT /v1/modules/acme/vpc/aws/1.0.0/deprecation', 204, { reason: 'use 2' }],
      ['DELETE /v1/modules/acme/vpc/aws/1.0.0/deprecation', 204],
      ['POST /v1/modules/acme/vpc/aws/rename', 204, { name: 'network' }],
      ['GET /plinth/v1/namespaces/acme/quota', 200],
      ['PUT /plinth/v1/namespaces/acme/quota', 200, { bytes: 1000000 }],
      ['POST /plinth/v1/namespaces/acme/prune', 200, { keep_versions: 3 }],
      ['POST /plinth/v1/tokens', 201, { name: 'ci', namespaces: ['acme'] }],
      ['GET /plinth/v1/tokens', 200],
      ['GET /plinth/v1/audit', 200],
      ['DELETE /v1/modules/acme/network/aws', 204],
    ])
    await registry.close()
  })
})

describe('what each endpoint answers is what its OpenAPI document says', () => {
  it.each(Object.entries(secretsTours))('secrets: %s', (_, walk) => walk())
  it.each(Object.entries(schedulerTours))('scheduler: %s', (_, walk) => walk())
  it.each(Object.entries(catalogTours))('catalog: %s', (_, walk) => walk())
  it.each(Object.entries(registryTours))('registry: %s', (_, walk) => walk())
})

/** The answers that the reference shows: `PLINTH_RECORD=1 npx vitest run test/http/as-documented.test.ts` writes them anew. */
const shown = 'site/data/endpoint-answers.json'

afterAll(() => {
  if (process.env['PLINTH_RECORD'] !== undefined)
    writeFileSync(shown, `${JSON.stringify(recordedAnswers, null, 1)}\n`)
})

it('gives the reference an answer of each endpoint that is asked here, of the same status', () => {
  const answers: Readonly<Record<string, RecordedAnswer>> = JSON.parse(readFileSync(shown, 'utf8'))
  const seen = (all: typeof answers) =>
    Object.entries(all).map(([id, { line, status }]) => [id, line, status])
  expect(seen(answers).sort()).toEqual(seen(recordedAnswers).sort())
})
