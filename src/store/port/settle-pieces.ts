import { StoreError } from './errors.ts'
import type { Commit, Verdict } from './port.ts'

/** Commits the pieces of a batch one after the other. */
export async function settlePieces<Piece>(
  batch: readonly Commit[],
  pieces: readonly Piece[],
  settle: (piece: Piece) => Promise<readonly Verdict[]>,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  for (const piece of pieces) {
    const judged = await settle(piece).catch((error: unknown) => {
      if (verdicts.length === 0) throw error
      throw new StoreError(
        'unknown',
        `only ${verdicts.length} of ${batch.length} commits have a known outcome, because the database failed: submit the same ids again`,
        error,
      )
    })
    verdicts.push(...judged)
  }
  return verdicts
}
