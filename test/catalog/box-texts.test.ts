import { expect, it } from 'vitest'
import { box, read, version, withBoxes } from './catalog.ts'

it('a box that was read shows what became of it since', async () => {
  const { catalog, ask, alice } = await withBoxes()
  const shown = async () => (await ask(`GET ${box}`)).body
  expect(await shown()).toEqual(await shown())
  expect(await shown()).toMatchObject({ description_markdown: '', downloads: 0, versions: [] })

  await alice(`PUT ${box}`, { box: { description: 'Small' } })
  expect((await shown()).description_html).toBe('<p>Small</p>\n')
  await alice(`PUT ${version}/provider/qemu/amd64`, { provider: { url: 'https://example.com/a.box' } })
  await alice(`PUT ${version}/release`)
  expect((await shown()).versions).toMatchObject([{ version: '1.0.0', status: 'active' }])
  await ask('GET /alice/boxes/tiny/versions/1.0.0/providers/qemu/amd64/vagrant.box')
  expect((await shown()).downloads).toBe(1)
  await alice(`DELETE ${version}`)
  expect((await shown()).versions).toEqual([])
  await catalog.close()
})

it('a box that its owner read shows others no more than before', async () => {
  const { catalog, alice, ask } = await withBoxes()
  expect((await alice(`GET ${box}`)).body.versions).toHaveLength(1)
  expect((await ask(`GET ${box}`)).body.versions).toEqual([])
  expect((await alice(`GET ${box}`)).body.versions).toHaveLength(1)
  await catalog.close()
})

it('a box has the addresses of the host that it is asked for', async () => {
  const { catalog, token } = await withBoxes()
  for (const host of ['a.test', 'b.test', 'a.test']) {
    const answer = await catalog.fetch(
      new Request(`https://${host}${box}`, { headers: { authorization: `Bearer ${token}` } }),
    )
    const [{ release_url }] = (await read(answer)).body.versions
    expect(release_url).toBe(`https://${host}${version}/release`)
  }
  await catalog.close()
})
