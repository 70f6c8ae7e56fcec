/** Whether a path is one of those about the service itself, which answer every caller, sealed or not. */
export const isAboutItself = (path: string): boolean =>
  /^sys\/(?:init|seal-status|unseal|health|leader)$/.test(path)
