import { pascalCase } from './pascal-case.ts'

/** How a field of a block is read. */
type Kind = 'plain' | 'duration' | 'texts' | 'map' | 'kept'

/**
 * The names in one kind of block, with their handling.
 *
 * - `plain`: any value, as it is
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
const durations = of('duration')
const texts = of('texts')
const maps = of('map')
const kept = of('kept')

/** A condition; its other spellings are resolved when it is read. */
export const constraint: Shape = {
  fields: plain('weight', {
    attribute: 'LTarget',
    value: 'RTarget',
    operator: 'Operand',
    version: 'version',
    semver: 'semver',
    regexp: 'regexp',
    set_contains: 'set_contains',
    set_contains_any: 'set_contains_any',
    distinct_hosts: 'distinct_hosts',
    distinct_property: 'distinct_property',
  }),
}

const choices = {
  constraint: ['Constraints', constraint],
  affinity: ['Affinities', constraint],
} as const

const spread: Shape = {
  fields: plain('attribute weight'),
  named: { target: ['SpreadTarget', { fields: plain('percent') }, 'Value'] },
}

const update: Shape = {
  fields: {
    ...plain('max_parallel health_check auto_revert auto_promote canary'),
    ...durations('stagger min_healthy_time healthy_deadline progress_deadline'),
  },
}

const restart: Shape = {
  fields: { ...plain('attempts mode render_templates'), ...durations('interval delay') },
}

const reschedule: Shape = {
  fields: { ...plain('attempts delay_function unlimited'), ...durations('interval delay max_delay') },
}

const migrate: Shape = {
  fields: { ...plain('max_parallel health_check'), ...durations('min_healthy_time healthy_deadline') },
}

const port: Shape = { fields: plain('to host_network ignore_collision', { static: 'Value' }) }

/** Its ports become reserved or dynamic ones when it is read. */
export const network: Shape = {
  fields: {
    ...plain('mode device hostname', { mbits: 'MBits', ip: 'IP', cidr: 'CIDR' }),
    ...kept('dns cni'),
  },
  named: { port: ['Ports', port, 'Label'], reserved_ports: ['ReservedPorts', port, 'Label'] },
}

const resources: Shape = {
  fields: {
    ...plain('cpu cores', {
      memory: 'MemoryMB',
      memory_max: 'MemoryMaxMB',
      disk: 'DiskMB',
      secrets: 'SecretsMB',
    }),
    ...kept('numa'),
  },
  many: { network: ['Networks', network] },
  named: { device: ['Devices', { fields: plain('count'), many: choices }, 'Name'] },
}

const logs: Shape = {
  fields: plain('max_files enabled disabled', { max_file_size: 'MaxFileSizeMB' }),
}

const volumeMount: Shape = {
  fields: plain('volume destination read_only propagation_mode', { selinux_label: 'SELinuxLabel' }),
}

const identity: Shape = {
  fields: {
    ...plain('name change_mode change_signal env file filepath service_name extra_claims', {
      aud: 'Audience',
    }),
    ...durations('ttl'),
  },
}

const checkRestart: Shape = { fields: { ...plain('limit ignore_warnings'), ...durations('grace') } }

const check: Shape = {
  fields: {
    ...plain(
      'name type path protocol method body command args address_mode advertise expose initial_status notes success_before_passing failures_before_critical failures_before_warning on_update tls_server_name tls_skip_verify grpc_service grpc_use_tls',
      { port: 'PortLabel', task: 'TaskName' },
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

const scaling: Shape = { fields: { ...plain('min max enabled type'), ...maps('policy') } }

const task: Shape = {
  fields: {
    ...plain('driver user leader kind kill_signal'),
    ...durations('kill_timeout shutdown_delay'),
    ...texts('meta env'),
    ...maps('config'),
    ...kept('vault consul schedule', { csi_plugin: 'CSIPluginConfig' }),
  },
  one: {
    resources: ['Resources', resources],
    restart: ['RestartPolicy', restart],
    lifecycle: ['Lifecycle', { fields: plain('hook sidecar') }],
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
    ...plain('type source read_only sticky access_mode attachment_mode per_alloc'),
    ...kept('mount_options'),
  },
}

const group: Shape = {
  fields: {
    ...plain('count prevent_reschedule_on_lost'),
    ...durations('shutdown_delay max_client_disconnect stop_after_client_disconnect max_run_duration'),
    ...texts('meta'),
    ...kept('consul vault'),
  },
  one: {
    update: ['Update', update],
    restart: ['RestartPolicy', restart],
    reschedule: ['ReschedulePolicy', reschedule],
    migrate: ['Migrate', migrate],
    ephemeral_disk: ['EphemeralDisk', { fields: plain('sticky migrate', { size: 'SizeMB' }) }],
    scaling: ['Scaling', scaling],
    disconnect: [
      'Disconnect',
      { fields: { ...durations('lost_after stop_on_client_after'), ...plain('replace reconcile') } },
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
    ...plain('name namespace region type priority all_at_once datacenters node_pool id'),
    ...texts('meta'),
    ...kept('vault'),
  },
  one: {
    update: ['Update', update],
    reschedule: ['ReschedulePolicy', reschedule],
    migrate: ['Migrate', migrate],
    periodic: [
      'Periodic',
      { fields: plain('enabled prohibit_overlap time_zone', { cron: 'Spec', crons: 'Specs' }) },
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
