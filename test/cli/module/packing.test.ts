import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ignoreRules } from '../../../src/cli/module/ignore-rules.ts'
import { moduleFiles } from '../../../src/cli/module/module-files.ts'
import { packModule } from '../../../src/cli/module/pack-module.ts'
import { folder, removeFolders } from '../server.ts'

afterAll(removeFolders)

/** A folder with these files, by path. */
function moduleWith(files: Readonly<Record<string, string>>): string {
  const home = folder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  return home
}

describe('the rules of .terraformignore', () => {
  it.each([
    [
      '',
      ['.git/config', '.terraform/modules/a', 'a/.terraform/x', 'x/.git/y'],
      ['a.git', '.gitignore', 'git/x'],
    ],
    ['*.tfvars', ['a.tfvars', 'b/c.tfvars'], ['a.tfvars.md', 'tfvars']],
    ['/build', ['build', 'build/x/y'], ['a/build', 'builds']],
    ['tmp/', ['tmp/x', 'a/tmp/x'], ['tmp']],
    ['docs/*.md', ['docs/a.md'], ['docs/a/b.md', 'x/docs/a.md']],
    ['docs/**/x', ['docs/x', 'docs/a/b/x'], ['docsx']],
    ['**/secret', ['secret', 'a/secret', 'a/secret/b'], ['secrets']],
    ['a?c', ['abc', 'x/abc'], ['ac', 'a/c']],
    ['[ab].txt', ['a.txt'], ['c.txt']],
    ['# *.tf\n\n *.log ', ['x.log'], ['main.tf']],
    ['*\n!*.tf', ['a.md'], ['main.tf', 'x/main.tf']],
    ['a+(b)', ['a+(b)'], ['aab']],
  ])('%j', (text, left, kept) => {
    const isIgnored = ignoreRules(text)
    expect(left.filter((path) => !isIgnored(path))).toEqual([])
    expect(kept.filter((path) => isIgnored(path))).toEqual([])
  })
})

describe('packing a module', () => {
  it('takes its files and links, without what is ignored', async () => {
    const home = moduleWith({
      'main.tf': '',
      '.terraformignore': 'notes.md\n',
      'notes.md': 'x',
      '.git/config': 'x',
      '.terraform/modules/x': 'x',
      'modules/a/main.tf': '',
      'modules/a/.terraform/x': 'x',
    })
    symlinkSync('../../main.tf', join(home, 'modules/a/link.tf'))
    expect((await moduleFiles(home)).map(({ path }) => path)).toEqual([
      '.terraformignore',
      'main.tf',
      'modules/a/link.tf',
      'modules/a/main.tf',
    ])
  })

  it('gives the same bytes for the same files, which tar unpacks', async () => {
    const long = `modules/${'long-'.repeat(30)}/ünï.tf`
    const files = { 'main.tf': 'variable "a" {}\n', [long]: 'x'.repeat(1000), 'run.sh': '#!/bin/sh\n' }
    const [one, other, out] = [moduleWith(files), moduleWith(files), folder()]
    for (const home of [one, other]) {
      chmodSync(join(home, 'run.sh'), 0o755)
      symlinkSync('main.tf', join(home, 'link.tf'))
    }
    utimesSync(join(other, 'main.tf'), 1, 1)
    const packed = await packModule(await moduleFiles(one), join(out, 'one.tgz'))
    expect(await packModule(await moduleFiles(other), join(out, 'other.tgz'))).toEqual(packed)
    expect(readFileSync(join(out, 'one.tgz')).length).toBe(packed.size)
    execFileSync('tar', ['xzf', 'one.tgz'], { cwd: out })
    expect(readFileSync(join(out, long), 'utf8')).toBe(files[long])
    expect(readFileSync(join(out, 'link.tf'), 'utf8')).toBe(files['main.tf'])
    execFileSync(join(out, 'run.sh'))
  })

  it('says what is no module', async () => {
    await expect(moduleFiles(moduleWith({ 'a.txt': '' }))).rejects.toThrow('is not a module')
    await expect(moduleFiles(join(folder(), 'none'))).rejects.toThrow(/^cannot read .*none: /)
    const home = moduleWith({ 'main.tf': '' })
    execFileSync('mkfifo', [join(home, 'pipe')])
    await expect(moduleFiles(home)).rejects.toThrow('name it in .terraformignore')
  })
})
