/**
 * A cluster of sample data.
 *
 * @packageDocumentation
 */
export { demoCluster } from './cluster.ts'
