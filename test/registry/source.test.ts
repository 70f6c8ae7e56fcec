import { describe, expect, it } from 'vitest'
import { parseModuleAddress, resolveModuleSource } from '../../src/registry/index.ts'

const download = 'https://modules.example.com/v1/modules/acme/vpc/aws/1.10.0/download'

describe('a source location', () => {
  it.each([
    ['./mod.tar.gz', 'https://modules.example.com/v1/modules/acme/vpc/aws/1.10.0/mod.tar.gz'],
    ['../../mod.tar.gz', 'https://modules.example.com/v1/modules/acme/vpc/mod.tar.gz'],
    ['/files/x.zip', 'https://modules.example.com/files/x.zip'],
    ['/files/x.zip?a=1&b=2', 'https://modules.example.com/files/x.zip?a=1&b=2'],
    ['/files/x.zip//sub?archive=zip', 'https://modules.example.com/files/x.zip//sub?archive=zip'],
    ['../../../../../../../../x.zip', 'https://modules.example.com/x.zip'],
  ])('%s is resolved against the download endpoint', (source, location) => {
    const resolved = resolveModuleSource(source, download)
    expect(resolved).toMatchObject({ ok: true, value: { location, relative: true, downloader: 'https' } })
  })

  it.each([
    ['https://example.com/vpc.zip', 'https', ''],
    ['http://example.com/vpc?archive=tar.gz&checksum=sha256:00', 'http', ''],
    ['git::https://example.com/vpc.git//modules/nat?ref=v1.2.0', 'git', 'modules/nat'],
    ['git::ssh://git@example.com/vpc.git', 'git', ''],
    ['git@github.com:acme/vpc.git', 'git', ''],
    ['github.com/acme/vpc//nat?ref=main', 'git', 'nat'],
    ['hg::http://example.com/vpc', 'hg', ''],
    ['s3::https://s3-eu-west-1.amazonaws.com/bucket/vpc.zip', 's3', ''],
    ['s3-eu-west-1.amazonaws.com/bucket/vpc.zip', 's3', ''],
    ['gcs::https://www.googleapis.com/storage/v1/bucket/vpc.zip', 'gcs', ''],
    ['www.googleapis.com/storage/v1/bucket/vpc.zip', 'gcs', ''],
    ['file:///srv/modules/vpc', 'file', ''],
  ])('%s passes through to the %s downloader', (source, downloader, subdirectory) => {
    const resolved = resolveModuleSource(source, download)
    expect(resolved).toEqual({
      ok: true,
      value: { location: source, downloader, relative: false, subdirectory },
    })
  })

  it.each([
    ['', 'empty'],
    ['mod.tar.gz', 'a relative source begins with /, ./ or ../'],
    ['example.com/vpc.zip', 'neither a URL nor downloader syntax'],
    ['github.com/acme', 'neither a URL nor downloader syntax'],
    ['ftp://example.com/vpc.zip', 'unknown scheme "ftp"'],
    ['svn::https://example.com/vpc', 'unknown downloader "svn"'],
    ['ssh://git@example.com/vpc.git', 'write git::ssh://'],
    ['git::', 'not what to fetch'],
    ['https://', 'not a complete URL'],
    ['//cdn.example.com/vpc.zip', 'write its URL in full'],
    ['https://example.com/a b.zip', 'percent-encode'],
    ['https://example.com/a.zip\r\nX-Evil: 1', 'percent-encode'],
    ['https://example.com/é.zip', 'percent-encode'],
    ['git::https://example.com/vpc.git//../../etc', 'leads outside'],
    [`https://example.com/${'a'.repeat(5000)}`, 'longer than'],
  ])('%j is refused: no client could fetch it', (source, why) => {
    const resolved = resolveModuleSource(source, download)
    expect(resolved).toMatchObject({ ok: false, refusal: { code: 'invalid_source' } })
    if (!resolved.ok) expect(resolved.refusal.message).toContain(why)
  })
})

describe('a module source address', () => {
  it.each([
    ['acme/vpc/aws', undefined, ''],
    ['modules.example.com/acme/vpc/aws', 'modules.example.com', ''],
    ['Modules.Example.com:8443/acme/vpc/aws', 'modules.example.com:8443', ''],
    ['acme/vpc/aws//nat', undefined, 'nat'],
    ['acme/vpc/aws//modules/./nat/', undefined, 'modules/nat'],
    ['bücher.example/acme/vpc/aws', 'bücher.example', ''],
  ])('%s has the host %s and the folder %j', (text, host, subdirectory) => {
    const value = {
      host,
      subdirectory,
      namespace: 'acme',
      name: 'vpc',
      provider: 'aws',
      path: 'acme/vpc/aws',
    }
    expect(parseModuleAddress(text)).toEqual({ ok: true, value })
  })

  it.each([
    ['', 'is not [host/]namespace/name/provider'],
    ['acme/vpc', 'is not [host/]namespace/name/provider'],
    ['a/b/c/d/e', 'is not [host/]namespace/name/provider'],
    ['./acme/vpc/aws', 'not a host name'],
    ['localhost/acme/vpc/aws', 'at least one dot'],
    ['modules.example.com:99999/acme/vpc/aws', 'beyond 65535'],
    ['xn--bcher-kva.example/acme/vpc/aws', 'punycode'],
    ['github.com/acme/vpc', 'hosts repositories'],
    ['github.com/acme/vpc/aws', 'hosts repositories'],
    ['acme/vpc/AWS', 'the provider "AWS" is not valid'],
    ['acme/-vpc/aws', 'the name "-vpc" is not valid'],
    ['acme/vpc/aws//../..', 'leads outside'],
    [`acme/vpc/aws//${'x'.repeat(2000)}`, 'longer than'],
  ])('%s is refused', (text, why) => {
    const parsed = parseModuleAddress(text)
    expect(parsed).toMatchObject({ ok: false, refusal: { code: 'invalid_module_address' } })
    if (!parsed.ok) expect(parsed.refusal.message).toContain(why)
  })
})
