// Builds dist/ from src/: one emitted file per source file (tree-shakes best, maps one to one), plus the
// generated parsers, which are JavaScript already.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const run = (command, ...args) => {
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

run(process.execPath, 'scripts/generate-parsers.mjs', '--check')
rmSync('dist', { recursive: true, force: true })
run(process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json')

for (const path of readdirSync('src', { recursive: true })) {
  if (path.includes('generated') && /\.(js|d\.ts)$/.test(path)) cpSync(join('src', path), join('dist', path))
}
if (existsSync('dist/cli/main.js')) chmodSync('dist/cli/main.js', 0o755)
