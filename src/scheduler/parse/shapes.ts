/**
 * The names in one kind of block, with their handling.
 *
 * - `plain`: any value, as it is
 * - `duration`: a text such as `30s`, as nanoseconds
 * - `texts`: a map of texts; numbers and booleans in it become texts
 * - `map`: a block or a map of anything
 * - `kept`: the same with the JSON spelling of its names, such as `ChangeMode`; several blocks are a list
 */
export interface Shape {
  readonly fields: Readonly<
    Record<string, readonly [name: string, kind: 'plain' | 'duration' | 'texts' | 'map' | 'kept']>
  >
  /** Blocks that may occur once. */
  readonly one?: Readonly<Record<string, readonly [name: string, shape: Shape]>>
  /** Blocks that may be repeated. */
  readonly many?: Readonly<Record<string, readonly [name: string, shape: Shape]>>
  /** Blocks with a label, which becomes a field. */
  readonly named?: Readonly<Record<string, readonly [name: string, shape: Shape, label: string]>>
}

const plain = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, as]) => [name, [as, 'plain'] as const]))
const durations = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, as]) => [name, [as, 'duration'] as const]))

const meta = { meta: ['Meta', 'texts'] } as const

/** A condition; its other spellings are resolved when it is read. */
export const constraint: Shape = {
  fields: plain({
    attribute: 'LTarget',
    value: 'RTarget',
    operator: 'Operand',
    weight: 'Weight',
    version: 'version',
    semver: 'semver',
    regexp: 'regexp',
    set_contains: 'set_contains',
    set_contains_any: 'set_contains_any',
    distinct_hosts: 'distinct_hosts',
    distinct_property: 'distinct_property',
  }),
}

const spread: Shape = {
  fields: plain({ attribute: 'Attribute', weight: 'Weight' }),
  named: { target: ['SpreadTarget', { fields: plain({ percent: 'Percent' }) }, 'Value'] },
}

const update: Shape = {
  fields: {
    ...plain({
      max_parallel: 'MaxParallel',
      health_check: 'HealthCheck',
      auto_revert: 'AutoRevert',
      auto_promote: 'AutoPromote',
      canary: 'Canary',
    }),
    ...durations({
      stagger: 'Stagger',
      min_healthy_time: 'MinHealthyTime',
      healthy_deadline: 'HealthyDeadline',
      progress_deadline: 'ProgressDeadline',
    }),
  },
}

const restart: Shape = {
  fields: {
    ...plain({ attempts: 'Attempts', mode: 'Mode', render_templates: 'RenderTemplates' }),
    ...durations({ interval: 'Interval', delay: 'Delay' }),
  },
}

const reschedule: Shape = {
  fields: {
    ...plain({ attempts: 'Attempts', delay_function: 'DelayFunction', unlimited: 'Unlimited' }),
    ...durations({ interval: 'Interval', delay: 'Delay', max_delay: 'MaxDelay' }),
  },
}

/** Its ports become reserved or dynamic ones when it is read. */
export const network: Shape = {
  fields: plain({ mode: 'Mode', device: 'Device', hostname: 'Hostname', mbits: 'MBits' }),
  named: {
    port: ['Ports', { fields: plain({ static: 'Value', to: 'To', host_network: 'HostNetwork' }) }, 'Label'],
  },
}

const check: Shape = {
  fields: {
    ...plain({
      name: 'Name',
      type: 'Type',
      path: 'Path',
      port: 'PortLabel',
      protocol: 'Protocol',
      method: 'Method',
      body: 'Body',
      command: 'Command',
      args: 'Args',
      task: 'TaskName',
      address_mode: 'AddressMode',
      initial_status: 'InitialStatus',
      tls_skip_verify: 'TLSSkipVerify',
      success_before_passing: 'SuccessBeforePassing',
      failures_before_critical: 'FailuresBeforeCritical',
      on_update: 'OnUpdate',
    }),
    ...durations({ interval: 'Interval', timeout: 'Timeout' }),
    header: ['Header', 'map'],
  },
}

const service: Shape = {
  fields: {
    ...plain({
      name: 'Name',
      port: 'PortLabel',
      address_mode: 'AddressMode',
      provider: 'Provider',
      tags: 'Tags',
      canary_tags: 'CanaryTags',
    }),
    ...meta,
    connect: ['Connect', 'kept'],
    identity: ['Identity', 'kept'],
  },
  many: { check: ['Checks', check] },
}

const template: Shape = {
  fields: {
    ...plain({
      data: 'EmbeddedTmpl',
      source: 'SourcePath',
      destination: 'DestPath',
      change_mode: 'ChangeMode',
      change_signal: 'ChangeSignal',
      env: 'Envvars',
      perms: 'Perms',
      left_delimiter: 'LeftDelim',
      right_delimiter: 'RightDelim',
    }),
    ...durations({ splay: 'Splay' }),
  },
}

const artifact: Shape = {
  fields: {
    ...plain({ source: 'GetterSource', destination: 'RelativeDest', mode: 'GetterMode' }),
    options: ['GetterOptions', 'texts'],
    headers: ['GetterHeaders', 'texts'],
  },
}

const resources: Shape = {
  fields: plain({
    cpu: 'CPU',
    cores: 'Cores',
    memory: 'MemoryMB',
    memory_max: 'MemoryMaxMB',
    disk: 'DiskMB',
  }),
  many: { network: ['Networks', network] },
  named: { device: ['Devices', { fields: plain({ count: 'Count' }) }, 'Name'] },
}

const choices = {
  constraint: ['Constraints', constraint],
  affinity: ['Affinities', constraint],
} as const

export const task: Shape = {
  fields: {
    ...plain({ driver: 'Driver', user: 'User', leader: 'Leader', kind: 'Kind', kill_signal: 'KillSignal' }),
    ...durations({ kill_timeout: 'KillTimeout', shutdown_delay: 'ShutdownDelay' }),
    ...meta,
    env: ['Env', 'texts'],
    config: ['Config', 'map'],
    identity: ['Identities', 'kept'],
    vault: ['Vault', 'kept'],
    consul: ['Consul', 'kept'],
    csi_plugin: ['CSIPluginConfig', 'kept'],
  },
  one: {
    resources: ['Resources', resources],
    restart: ['RestartPolicy', restart],
    lifecycle: ['Lifecycle', { fields: plain({ hook: 'Hook', sidecar: 'Sidecar' }) }],
    dispatch_payload: ['DispatchPayload', { fields: plain({ file: 'File' }) }],
    logs: [
      'LogConfig',
      { fields: plain({ max_files: 'MaxFiles', max_file_size: 'MaxFileSizeMB', disabled: 'Disabled' }) },
    ],
  },
  many: {
    ...choices,
    service: ['Services', service],
    template: ['Templates', template],
    artifact: ['Artifacts', artifact],
    volume_mount: [
      'VolumeMounts',
      { fields: plain({ volume: 'Volume', destination: 'Destination', read_only: 'ReadOnly' }) },
    ],
  },
}

export const group: Shape = {
  fields: {
    ...plain({ count: 'Count' }),
    ...durations({ shutdown_delay: 'ShutdownDelay', max_client_disconnect: 'MaxClientDisconnect' }),
    ...meta,
    consul: ['Consul', 'kept'],
  },
  one: {
    update: ['Update', update],
    restart: ['RestartPolicy', restart],
    reschedule: ['ReschedulePolicy', reschedule],
    ephemeral_disk: [
      'EphemeralDisk',
      { fields: plain({ sticky: 'Sticky', migrate: 'Migrate', size: 'SizeMB' }) },
    ],
    scaling: [
      'Scaling',
      { fields: { ...plain({ min: 'Min', max: 'Max', enabled: 'Enabled' }), policy: ['Policy', 'map'] } },
    ],
    disconnect: [
      'Disconnect',
      {
        fields: {
          ...durations({ lost_after: 'LostAfter', stop_on_client_after: 'StopOnClientAfter' }),
          ...plain({ replace: 'Replace', reconcile: 'Reconcile' }),
        },
      },
    ],
    migrate: [
      'Migrate',
      {
        fields: {
          ...plain({ max_parallel: 'MaxParallel', health_check: 'HealthCheck' }),
          ...durations({ min_healthy_time: 'MinHealthyTime', healthy_deadline: 'HealthyDeadline' }),
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
  named: {
    task: ['Tasks', task, 'Name'],
    volume: [
      'Volumes',
      {
        fields: plain({
          type: 'Type',
          source: 'Source',
          read_only: 'ReadOnly',
          access_mode: 'AccessMode',
          attachment_mode: 'AttachmentMode',
          per_alloc: 'PerAlloc',
        }),
      },
      'Name',
    ],
  },
}

export const job: Shape = {
  fields: {
    ...plain({
      id: 'ID',
      name: 'Name',
      namespace: 'Namespace',
      region: 'Region',
      type: 'Type',
      priority: 'Priority',
      all_at_once: 'AllAtOnce',
      datacenters: 'Datacenters',
      node_pool: 'NodePool',
    }),
    ...meta,
  },
  one: {
    update: ['Update', update],
    reschedule: ['ReschedulePolicy', reschedule],
    migrate: ['Migrate', { fields: group.one?.['migrate']?.[1].fields ?? {} }],
    periodic: [
      'Periodic',
      {
        fields: plain({
          cron: 'Spec',
          crons: 'Specs',
          enabled: 'Enabled',
          prohibit_overlap: 'ProhibitOverlap',
          time_zone: 'TimeZone',
        }),
      },
    ],
    parameterized: [
      'ParameterizedJob',
      {
        fields: plain({
          payload: 'Payload',
          meta_required: 'MetaRequired',
          meta_optional: 'MetaOptional',
        }),
      },
    ],
  },
  many: { ...choices, spread: ['Spreads', spread] },
  named: { group: ['TaskGroups', group, 'Name'], task: ['Tasks', task, 'Name'] },
}
