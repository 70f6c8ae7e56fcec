import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { percentDecoded } from '../../kernel/decoded.ts'
import type { EtcdOptions } from '../../store/etcd/index.ts'
import { whyNot } from '../file-text.ts'
import { UserError } from '../user-error.ts'

const form = 'etcd://HOST:PORT,HOST:PORT/PREFIX?tls=true&ca=FILE&cert=FILE&key=FILE&password-file=FILE'

/** The parts of an `etcd://` address in `--data`. */
export interface EtcdPlace {
  readonly endpoints: readonly string[]
  readonly options: Omit<EtcdOptions, 'realm'> & { readonly prefix: string }
}

/**
 * Reads `etcd://USER:PASSWORD@HOST:PORT,HOST:PORT/PREFIX?…`, and the files that it names.
 *
 * @throws UserError that does not contain the address, which may hold a password
 */
export async function readEtcdPlace(text: string): Promise<EtcdPlace> {
  const wrong = (why: string) => new UserError(`--data ${why}: write it as ${form}`, 2)
  const [, login, hosts = '', path = '', query = ''] =
    /^etcd:\/\/(?:([^@/?]*)@)?([^/?@]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(text) ?? []
  const search = new URLSearchParams(query)
  const named = [...search.keys()]
  const unknown = named.find((name) => !['tls', 'ca', 'cert', 'key', 'password-file'].includes(name))
  if (unknown !== undefined) throw wrong(`does not take ${unknown}`)
  const given = (name: string) => search.get(name) ?? undefined
  const tls = given('tls') ?? String(given('ca') !== undefined || given('cert') !== undefined)
  if (tls !== 'true' && tls !== 'false') throw wrong('takes tls=true or tls=false')
  if ((given('cert') === undefined) !== (given('key') === undefined))
    throw wrong('takes cert and key together')
  const endpoints = hosts.split(',').map((host) => `http${tls === 'true' ? 's' : ''}://${host}`)
  for (const endpoint of endpoints)
    if (!URL.canParse(endpoint) || !/:\d+$/.test(endpoint))
      throw wrong('names an endpoint without host and port')
  const prefix = percentDecoded(path)?.replace(/\/+$/, '')
  if (prefix === undefined || !/^[\x21-\x7e]{0,200}$/.test(prefix))
    throw wrong('has a prefix of other than 1 to 200 printable ASCII characters')
  const [user, password] = (login ?? '').split(/:(.*)/s).map((part) => percentDecoded(part))
  if (login !== undefined && !user) throw wrong('has a login without a user')
  const file = async (name: string) => {
    const path = given(name)
    if (path === undefined) return undefined
    return readFile(resolve(path), 'utf8').catch((error: unknown) => {
      throw new UserError(`cannot read ${path}, the ${name} of --data: ${whyNot(error)}`)
    })
  }
  const secret = password ?? (await file('password-file'))?.replace(/\r?\n$/, '')
  if (user && secret === undefined) throw wrong('has a user without a password')
  return {
    endpoints,
    options: {
      prefix: prefix || 'plinth',
      ...(user && { user, password: secret }),
      tls: { ca: await file('ca'), cert: await file('cert'), key: await file('key') },
    },
  }
}
