/** What one task needs, and when it runs. */
export interface TaskNeeds {
  readonly cpu: number
  readonly memoryMb: number
  /** The number of exclusive cores: their MHz are never shared. */
  readonly cores: number
  readonly lifecycle: { readonly Hook: string; readonly Sidecar: boolean } | null | undefined
}

/**
 * What tasks need together: those that end before the main tasks start, or start after they have ended, share the room
 * of the main tasks.
 */
export function together(tasks: Iterable<TaskNeeds>): { readonly cpu: number; readonly memoryMb: number } {
  const before = { cpu: 0, memoryMb: 0 }
  const main = { cpu: 0, memoryMb: 0 }
  const after = { cpu: 0, memoryMb: 0 }
  let pinned = 0
  for (const { cpu, memoryMb, cores, lifecycle } of tasks) {
    if (cores > 0) pinned += cpu
    const phases =
      lifecycle?.Hook === 'prestart'
        ? lifecycle.Sidecar
          ? [before, main]
          : [before]
        : lifecycle?.Hook === 'poststop'
          ? [after]
          : [main]
    for (const phase of phases) {
      phase.cpu += cores > 0 ? 0 : cpu
      phase.memoryMb += memoryMb
    }
  }
  return {
    cpu: pinned + Math.max(before.cpu, main.cpu, after.cpu),
    memoryMb: Math.max(before.memoryMb, main.memoryMb, after.memoryMb),
  }
}
