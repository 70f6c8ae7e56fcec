import fc from 'fast-check'

/**
 * One seed for every property, so that a change is judged by itself and not by luck: the same tests see the same data
 * until someone asks for other data with `PLINTH_PROPERTY_SEED` (a number, or `random`); see CONTRIBUTING.
 */
const asked = process.env['PLINTH_PROPERTY_SEED'] ?? '20261122'
if (asked !== 'random') {
  const seed = Number(asked)
  if (!Number.isInteger(seed))
    throw new Error(`PLINTH_PROPERTY_SEED has to be a whole number or "random", not "${asked}"`)
  fc.configureGlobal({ seed })
}

/** No test talks to a server that happens to run, nor with the token of whoever runs the tests. */
for (const name of Object.keys(process.env))
  if (/^(?:SECRETS|SCHEDULER|CATALOG|REGISTRY|VAULT|NOMAD|VAGRANT_CLOUD|TF)_/.test(name))
    delete process.env[name]
