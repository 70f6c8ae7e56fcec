export { demoCatalog, demoImages } from './boxes.ts'
export { demoJob } from './job.ts'
export { demoArchives, demoRegistry } from './modules.ts'
export { demoSecrets } from './secrets.ts'
