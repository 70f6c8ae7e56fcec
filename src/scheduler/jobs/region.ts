/** Returns the job with its cluster's region: `global` and an empty region both mean the region of the cluster. */
export const inRegion = <Job extends { readonly Region: string }>(job: Job, region: string): Job =>
  job.Region !== region && (job.Region === 'global' || job.Region === '')
    ? Object.assign({}, job, { Region: region })
    : job
