/**
 * Whether an allocation or a deployment belongs to the incarnation of a job that was created at an index. A job that
 * was purged and registered again is another one; index 0 stands for the current one.
 */
export const ofIncarnation = (
  { JobCreateIndex }: { readonly JobCreateIndex: number },
  jobCreateIndex: number,
): boolean => JobCreateIndex === 0 || JobCreateIndex === jobCreateIndex
