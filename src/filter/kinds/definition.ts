import type { FilterSchema } from './schema.ts'

/**
 * A definition as zod writes it, which is what `shapeOfSchema` reads.
 *
 * @param kind - the kind of the value, if zod has none for it
 */
export const definition = (
  def: Readonly<Record<string, unknown>> & { readonly type: string },
  kind?: string,
): FilterSchema =>
  ({ _zod: { output: undefined, def }, ...(kind && { meta: () => ({ kind }) }) }) as FilterSchema
