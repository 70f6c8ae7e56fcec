import { route } from '@react-router/dev/routes'

export default [route('v1/*', 'registry.js')]
