/** A job of the demo cluster, in short. */
export interface DemoJob {
  readonly id: string
  readonly namespace: string
  readonly type: 'service' | 'batch' | 'system'
  readonly pool: 'default' | 'gpu' | 'edge' | 'batch'
  readonly team: string
  readonly group: string
  readonly count: number
  readonly cpu: number
  readonly memory: number
}

type Row = readonly [id: string, group: string, count: number, cpu: number, memory: number]

const services: Readonly<Record<string, { readonly team: string; readonly rows: readonly Row[] }>> = {
  default: {
    team: 'shop',
    rows: [
      ['web', 'frontend', 6, 500, 512],
      ['api', 'server', 4, 800, 1024],
      ['checkout', 'server', 3, 600, 768],
      ['search', 'index', 3, 1000, 4096],
      ['cache', 'redis', 2, 500, 2048],
      ['queue', 'broker', 3, 800, 2048],
      ['mailer', 'worker', 2, 200, 256],
      ['images', 'resizer', 2, 900, 1024],
      ['sessions', 'store', 2, 300, 1024],
      ['pricing', 'server', 2, 400, 512],
      ['feeds', 'exporter', 1, 300, 512],
      ['status-page', 'web', 1, 100, 128],
    ],
  },
  platform: {
    team: 'infra',
    rows: [
      ['gateway', 'proxy', 4, 700, 512],
      ['metrics', 'store', 2, 1500, 8192],
      ['traces', 'collector', 2, 800, 2048],
      ['registry-mirror', 'mirror', 2, 300, 512],
      ['secrets', 'server', 3, 500, 1024],
      ['dns', 'resolver', 3, 200, 128],
      ['builds', 'runner', 4, 2000, 4096],
      ['artifacts', 'store', 2, 400, 1024],
    ],
  },
  data: {
    team: 'data',
    rows: [
      ['warehouse', 'coordinator', 1, 2000, 8192],
      ['features', 'server', 2, 1000, 4096],
      ['events', 'consumer', 3, 800, 1024],
      ['notebooks', 'hub', 1, 500, 2048],
    ],
  },
}

const others: readonly DemoJob[] = [
  ...(['node-exporter', 'log-shipper'] as const).map((id) =>
    made('platform', 'infra', 'system', 'default', [id, 'agent', 1, 100, 64]),
  ),
  ...(
    [
      ['reindex', 'rebuild', 2, 2000, 4096],
      ['sitemap', 'generate', 1, 300, 256],
      ['thumbnails', 'backfill', 4, 900, 1024],
    ] as const
  ).map((row) => made('default', 'shop', 'batch', 'batch', row)),
  ...(
    [
      ['daily-report', 'report', 1, 500, 1024],
      ['compaction', 'compact', 2, 1500, 4096],
      ['export-orders', 'export', 1, 400, 512],
      ['quality-checks', 'check', 2, 600, 1024],
      ['archive', 'move', 1, 300, 512],
    ] as const
  ).map((row) => made('data', 'data', 'batch', 'batch', row)),
  ...(
    [
      ['train-ranking', 'trainer', 2, 8000, 65_536],
      ['embeddings', 'encoder', 2, 6000, 32_768],
    ] as const
  ).map((row) => made('data', 'ml-platform', 'batch', 'gpu', row)),
  made('data', 'ml-platform', 'service', 'gpu', ['inference', 'server', 4, 4000, 16_384]),
  ...(
    [
      ['edge-cache', 'cache', 8, 400, 1024],
      ['edge-tls', 'proxy', 8, 300, 256],
      ['edge-probe', 'probe', 3, 100, 64],
    ] as const
  ).map((row) => made('platform', 'delivery', 'service', 'edge', row)),
]

function made(
  namespace: string,
  team: string,
  type: DemoJob['type'],
  pool: DemoJob['pool'],
  [id, group, count, cpu, memory]: Row,
): DemoJob {
  return { id, namespace, team, type, pool, group, count, cpu, memory }
}

/** The jobs of the demo cluster: 40 in three namespaces. */
export const demoJobs = (): readonly DemoJob[] => [
  ...Object.entries(services).flatMap(([namespace, { team, rows }]) =>
    rows.map((row) => made(namespace, team, 'service', 'default', row)),
  ),
  ...others,
]
