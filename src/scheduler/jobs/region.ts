/** A job of the region its cluster is: `global`, or nothing, stands for whichever that is. */
export const inRegion = <Job extends { readonly Region: string }>(job: Job, region: string): Job =>
  job.Region !== region && (job.Region === 'global' || job.Region === '')
    ? Object.assign({}, job, { Region: region })
    : job
