'use strict'
// A preset of Jest, which cannot load ES modules from `node_modules`: it transforms those of this package. They run in
// the realm of the tests, so that fake timers and mocks apply.
module.exports = {
  transform: {
    '/plinth/dist/.*\\.js$': require.resolve('./jest-transform.cjs'),
    '\\.[jt]sx?$': 'babel-jest',
  },
  transformIgnorePatterns: ['/node_modules/(?!plinth/)'],
}
