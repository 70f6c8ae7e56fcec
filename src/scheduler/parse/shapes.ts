import { pascalCase } from './pascal-case.ts'

/** How a field of a block is read. */
type Kind = 'plain' | 'literal' | 'duration' | 'texts' | 'map' | 'kept'

/**
 * The names in one kind of block, with their handling.
 *
 * - `plain`: any value, as it is
 * - `literal`: a number or a boolean, also as a text: `"8080"`, `"true"`
 * - `duration`: a text such as `30s`, as nanoseconds
 * - `texts`: a map of texts; numbers and booleans in it become texts
 * - `map`: a block or a map of anything
 * - `kept`: a block of anything, with the JSON spelling of its names, such as `ChangeMode`
 */
export interface Shape {
  readonly fields: Readonly<Record<string, readonly [name: string, kind: Kind]>>
  /** Blocks that may occur once. */
  readonly one?: Readonly<Record<string, readonly [name: string, shape: Shape]>>
  /** Blocks that may be repeated. */
  readonly many?: Readonly<Record<string, readonly [name: string, shape: Shape]>>
  /** Blocks with a label, which becomes a field; of some, a few labels are known, each with its value. */
  readonly named?: Readonly<
    Record<string, readonly [name: string, shape: Shape, label: string, known?: Spellings]>
  >
}

type Spellings = Readonly<Record<string, string>>

/** Fields of one kind: `names`, separated by spaces, in {@link pascalCase}, and others in a spelling of their own. */
const of =
  (kind: Kind) =>
  (names: string, others: Spellings = {}): Shape['fields'] => {
    const usual = names.split(' ').map((name) => [name, pascalCase(name)])
    return Object.fromEntries([...usual, ...Object.entries(others)].map(([name, as]) => [name, [as, kind]]))
  }

const plain = of('plain')
const literals = of('literal')
const durations = of('duration')
const texts = of('texts')
const maps = of('map')
const kept = of('kept')

/** A condition; its other spellings are resolved when it is read. */
export const constraint: Shape = {
  fields: {
    weight: ['Weight', 'literal'],
    attribute: ['LTarget', 'plain'],
    value: ['RTarget', 'plain'],
    operator: ['Operand', 'plain'],
    version: ['version', 'plain'],
    semver: ['semver', 'plain'],
    regexp: ['regexp', 'plain'],
    set_contains: ['set_contains', 'plain'],
    set_contains_any: ['set_contains_any', 'plain'],
    distinct_hosts: ['distinct_hosts', 'plain'],
    distinct_property: ['distinct_property', 'plain'],
  },
}

const choices = {
  constraint: ['Constraints', constraint],
  affinity: ['Affinities', constraint],
} as const

const spread: Shape = {
  fields: { ...plain('attribute'), ...literals('weight') },
  named: { target: ['SpreadTarget', { fields: literals('percent') }, 'Value'] },
}

const update: Shape = {
  fields: {
    ...plain('health_check'),
    ...literals('max_parallel auto_revert auto_promote canary'),
    ...durations('stagger min_healthy_time healthy_deadline progress_deadline'),
  },
}

const restart: Shape = {
  fields: { ...plain('mode'), ...literals('attempts render_templates'), ...durations('interval delay') },
}

const reschedule: Shape = {
  fields: {
    ...plain('delay_function'),
    ...literals('attempts unlimited'),
    ...durations('interval delay max_delay'),
  },
}

const migrate: Shape = {
  fields: {
    ...plain('health_check'),
    ...literals('max_parallel'),
    ...durations('min_healthy_time healthy_deadline'),
  },
}

const port: Shape = {
  fields: { ...plain('host_network'), ...literals('to ignore_collision', { static: 'Value' }) },
}

/** Its ports become reserved or dynamic ones when it is read. */
export const network: Shape = {
  fields: {
    ...plain('mode device hostname', { ip: 'IP', cidr: 'CIDR' }),
    mbits: ['MBits', 'literal'],
    ...kept('dns cni'),
  },
  named: { port: ['Ports', port, 'Label'], reserved_ports: ['ReservedPorts', port, 'Label'] },
}

const resources: Shape = {
  fields: {
    ...literals('cpu cores', {
      memory: 'MemoryMB',
      memory_max: 'MemoryMaxMB',
      disk: 'DiskMB',
      secrets: 'SecretsMB',
    }),
    ...kept('numa'),
  },
  many: { network: ['Networks', network] },
  named: { device: ['Devices', { fields: literals('count'), many: choices }, 'Name'] },
}

const logs: Shape = {
  fields: literals('max_files enabled disabled', { max_file_size: 'MaxFileSizeMB' }),
}

const volumeMount: Shape = {
  fields: {
    ...plain('volume destination propagation_mode', { selinux_label: 'SELinuxLabel' }),
    ...literals('read_only'),
  },
}

const identity: Shape = {
  fields: {
    ...plain('name change_mode change_signal env file filepath service_name extra_claims', {
      aud: 'Audience',
    }),
    ...durations('ttl'),
  },
}

const checkRestart: Shape = { fields: { ...literals('limit ignore_warnings'), ...durations('grace') } }

const check: Shape = {
  fields: {
    ...plain(
      'name type path protocol method body command args address_mode advertise initial_status notes on_update tls_server_name grpc_service',
      { port: 'PortLabel', task: 'TaskName' },
    ),
    ...literals(
      'expose success_before_passing failures_before_critical failures_before_warning tls_skip_verify grpc_use_tls',
    ),
    ...durations('interval timeout'),
    ...maps('header'),
  },
  one: { check_restart: ['CheckRestart', checkRestart] },
}

const upstream: Shape = {
  fields: {
    ...plain(
      'destination_name destination_namespace destination_peer destination_partition destination_type datacenter local_bind_port local_bind_address local_bind_socket_path local_bind_socket_mode',
    ),
    ...kept('mesh_gateway'),
    ...maps('config'),
  },
}

const proxy: Shape = {
  fields: { ...plain('local_service_address local_service_port'), ...maps('config') },
  one: {
    expose: [
      'Expose',
      {
        fields: {},
        many: { path: ['Paths', { fields: plain('path protocol local_path_port listener_port') }] },
      },
    ],
    transparent_proxy: [
      'TransparentProxy',
      {
        fields: plain(
          'uid outbound_port exclude_inbound_ports exclude_outbound_ports exclude_outbound_cidrs exclude_uids no_dns',
        ),
      },
    ],
  },
  many: { upstreams: ['Upstreams', upstream] },
}

const connect: Shape = {
  fields: { ...plain('native'), ...kept('gateway') },
  one: {
    sidecar_service: [
      'SidecarService',
      {
        fields: {
          ...plain('tags port disable_default_tcp_check'),
          ...texts('meta'),
        },
        one: { proxy: ['Proxy', proxy] },
      },
    ],
    sidecar_task: [
      'SidecarTask',
      {
        fields: {
          ...plain('name driver user kill_signal'),
          ...durations('kill_timeout shutdown_delay'),
          ...texts('env meta'),
          ...maps('config'),
        },
        one: { resources: ['Resources', resources], logs: ['LogConfig', logs] },
        many: { volume_mount: ['VolumeMounts', volumeMount], identity: ['Identities', identity] },
      },
    ],
  },
}

const service: Shape = {
  fields: {
    ...plain(
      'name address address_mode provider tags canary_tags enable_tag_override on_update cluster kind',
      { port: 'PortLabel', task: 'TaskName' },
    ),
    ...texts('meta canary_meta tagged_addresses'),
    ...kept('weights'),
  },
  one: {
    connect: ['Connect', connect],
    identity: ['Identity', identity],
    check_restart: ['CheckRestart', checkRestart],
  },
  many: { check: ['Checks', check] },
}

const template: Shape = {
  fields: {
    ...plain('change_mode change_signal once perms', {
      uid: 'Uid',
      gid: 'Gid',
      data: 'EmbeddedTmpl',
      source: 'SourcePath',
      destination: 'DestPath',
      env: 'Envvars',
      left_delimiter: 'LeftDelim',
      right_delimiter: 'RightDelim',
      error_on_missing_key: 'ErrMissingKey',
    }),
    ...durations('splay vault_grace'),
  },
  one: {
    wait: ['Wait', { fields: durations('min max') }],
    change_script: [
      'ChangeScript',
      { fields: { ...plain('command args fail_on_error run_on_first_render'), ...durations('timeout') } },
    ],
  },
}

const artifact: Shape = {
  fields: {
    ...plain('chown', {
      source: 'GetterSource',
      destination: 'RelativeDest',
      mode: 'GetterMode',
      insecure: 'GetterInsecure',
    }),
    options: ['GetterOptions', 'texts'],
    headers: ['GetterHeaders', 'texts'],
  },
}

const scaling: Shape = { fields: { ...plain('type'), ...literals('min max enabled'), ...maps('policy') } }

const task: Shape = {
  fields: {
    ...plain('driver user kind kill_signal'),
    ...literals('leader'),
    ...durations('kill_timeout shutdown_delay'),
    ...texts('meta env'),
    ...maps('config'),
    ...kept('vault consul schedule', { csi_plugin: 'CSIPluginConfig' }),
  },
  one: {
    resources: ['Resources', resources],
    restart: ['RestartPolicy', restart],
    lifecycle: ['Lifecycle', { fields: { ...plain('hook'), ...literals('sidecar') } }],
    dispatch_payload: ['DispatchPayload', { fields: plain('file') }],
    logs: ['LogConfig', logs],
  },
  many: {
    ...choices,
    service: ['Services', service],
    template: ['Templates', template],
    artifact: ['Artifacts', artifact],
    volume_mount: ['VolumeMounts', volumeMount],
    identity: ['Identities', identity],
  },
  named: {
    scaling: ['ScalingPolicies', scaling, 'Type', { cpu: 'vertical_cpu', mem: 'vertical_mem' }],
    action: ['Actions', { fields: plain('command args') }, 'Name'],
    secret: [
      'Secrets',
      { fields: { ...plain('provider path'), ...maps('config'), ...texts('env') } },
      'Name',
    ],
  },
}

const volume: Shape = {
  fields: {
    ...plain('type source access_mode attachment_mode'),
    ...literals('read_only sticky per_alloc'),
    ...kept('mount_options'),
  },
}

const group: Shape = {
  fields: {
    ...literals('count prevent_reschedule_on_lost'),
    ...durations('shutdown_delay max_client_disconnect stop_after_client_disconnect max_run_duration'),
    ...texts('meta'),
    ...kept('consul vault'),
  },
  one: {
    update: ['Update', update],
    restart: ['RestartPolicy', restart],
    reschedule: ['ReschedulePolicy', reschedule],
    migrate: ['Migrate', migrate],
    ephemeral_disk: ['EphemeralDisk', { fields: literals('sticky migrate', { size: 'SizeMB' }) }],
    scaling: ['Scaling', scaling],
    disconnect: [
      'Disconnect',
      {
        fields: {
          ...durations('lost_after stop_on_client_after'),
          ...plain('reconcile'),
          ...literals('replace'),
        },
      },
    ],
  },
  many: {
    ...choices,
    spread: ['Spreads', spread],
    network: ['Networks', network],
    service: ['Services', service],
  },
  named: { task: ['Tasks', task, 'Name'], volume: ['Volumes', volume, 'Name'] },
}

export const job: Shape = {
  fields: {
    ...plain('name namespace region type datacenters node_pool id'),
    ...literals('priority all_at_once'),
    ...texts('meta'),
    ...kept('vault'),
  },
  one: {
    update: ['Update', update],
    reschedule: ['ReschedulePolicy', reschedule],
    migrate: ['Migrate', migrate],
    periodic: [
      'Periodic',
      {
        fields: {
          ...literals('enabled prohibit_overlap'),
          ...plain('time_zone', { cron: 'Spec', crons: 'Specs' }),
        },
      },
    ],
    parameterized: ['ParameterizedJob', { fields: plain('payload meta_required meta_optional') }],
    multiregion: [
      'Multiregion',
      {
        fields: {},
        one: { strategy: ['Strategy', { fields: plain('max_parallel on_failure') }] },
        named: {
          region: [
            'Regions',
            { fields: { ...plain('count datacenters node_pool'), ...texts('meta') } },
            'Name',
          ],
        },
      },
    ],
    ui: ['UI', { fields: plain('description'), many: { link: ['Links', { fields: plain('label url') }] } }],
  },
  many: { ...choices, spread: ['Spreads', spread] },
  named: { group: ['TaskGroups', group, 'Name'], task: ['Tasks', task, 'Name'] },
}
