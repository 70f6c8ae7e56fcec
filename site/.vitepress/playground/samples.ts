/** Rows to begin with. */
export interface Sample {
  readonly rows: readonly object[]
  readonly expression: string
}

const jobs: Sample = {
  expression: 'Status == "running" and Priority >= 50',
  rows: [
    {
      ID: 'api',
      Status: 'running',
      Type: 'service',
      Priority: 70,
      Count: 3,
      Tags: ['web', 'public'],
      Meta: { team: 'core' },
    },
    {
      ID: 'billing',
      Status: 'running',
      Type: 'service',
      Priority: 80,
      Count: 2,
      Tags: ['web'],
      Meta: { team: 'money' },
    },
    {
      ID: 'cache',
      Status: 'running',
      Type: 'service',
      Priority: 40,
      Count: 5,
      Tags: [],
      Meta: { team: 'core' },
    },
    {
      ID: 'compaction',
      Status: 'dead',
      Type: 'batch',
      Priority: 20,
      Count: 1,
      Tags: ['nightly'],
      Meta: { team: 'data' },
    },
    {
      ID: 'export',
      Status: 'pending',
      Type: 'batch',
      Priority: 50,
      Count: 1,
      Tags: ['nightly'],
      Meta: { team: 'data' },
    },
    {
      ID: 'metrics',
      Status: 'running',
      Type: 'system',
      Priority: 90,
      Count: 12,
      Tags: ['internal'],
      Meta: { team: 'ops' },
    },
    {
      ID: 'search',
      Status: 'pending',
      Type: 'service',
      Priority: 60,
      Count: 4,
      Tags: ['web', 'public'],
      Meta: { team: 'core' },
    },
    {
      ID: 'thumbnails',
      Status: 'dead',
      Type: 'batch',
      Priority: 30,
      Count: 1,
      Tags: ['media'],
      Meta: { team: 'media' },
    },
  ],
}

const nodes: Sample = {
  expression: 'Status == "ready" and any Disks as disk { disk.SizeGB > 200 }',
  rows: [
    {
      Name: 'edge-01',
      Status: 'ready',
      Datacenter: 'dc1',
      CPU: 8000,
      Drain: false,
      Disks: [{ Kind: 'ssd', SizeGB: 200 }],
    },
    {
      Name: 'edge-02',
      Status: 'ready',
      Datacenter: 'dc1',
      CPU: 8000,
      Drain: true,
      Disks: [{ Kind: 'ssd', SizeGB: 400 }],
    },
    {
      Name: 'big-01',
      Status: 'ready',
      Datacenter: 'dc2',
      CPU: 64000,
      Drain: false,
      Disks: [
        { Kind: 'nvme', SizeGB: 2000 },
        { Kind: 'hdd', SizeGB: 8000 },
      ],
    },
    {
      Name: 'big-02',
      Status: 'down',
      Datacenter: 'dc2',
      CPU: 64000,
      Drain: false,
      Disks: [{ Kind: 'nvme', SizeGB: 2000 }],
    },
    { Name: 'gpu-01', Status: 'initializing', Datacenter: 'dc3', CPU: 32000, Drain: false, Disks: [] },
  ],
}

const users: Sample = {
  expression: 'Email ends with "@example.com" and not Disabled',
  rows: [
    {
      Name: 'Ada',
      Email: 'ada@example.com',
      Roles: ['admin', 'dev'],
      Logins: 318,
      Disabled: false,
      Address: { City: 'London' },
    },
    {
      Name: 'Grace',
      Email: 'grace@example.com',
      Roles: ['dev'],
      Logins: 27,
      Disabled: false,
      Address: { City: 'New York' },
    },
    {
      Name: 'Linus',
      Email: 'linus@example.org',
      Roles: ['dev'],
      Logins: 1204,
      Disabled: false,
      Address: { City: 'Portland' },
    },
    { Name: 'Edsger', Email: 'edsger@example.com', Roles: [], Logins: 0, Disabled: true, Address: null },
  ],
}

export const samples: Readonly<Record<string, Sample>> = { jobs, nodes, users }

/** Rows as they stand in the editor: one a line. */
export const rowsText = (rows: readonly object[]): string =>
  `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]`
