import { allowCommonJs } from '../../command/commonjs.ts'

allowCommonJs()

const { default: client } = await import('prom-client')

export const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = client
