import { systemEnv } from '../../../kernel/system-env.ts'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const satisfies readonly (readonly [Intl.RelativeTimeFormatUnit, number])[]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** How long ago an instant is, with the instant itself on hover. */
export function Time({ ms }: { readonly ms: number }) {
  if (!Number.isFinite(ms) || ms <= 0) return <span>–</span>
  const seconds = (ms - systemEnv().now) / 1000
  const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  const at = new Date(ms)
  return (
    <time dateTime={at.toISOString()} title={at.toLocaleString()}>
      {relative.format(Math.round(seconds / length), unit)}
    </time>
  )
}
