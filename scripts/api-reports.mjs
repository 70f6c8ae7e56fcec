// Writes or checks one API report per subpath of the package (etc/<subpath>.api.md). A report that differs,
// or a public symbol without documentation, fails. `--local` writes the reports.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'

const local = process.argv.includes('--local')
const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
const base = ExtractorConfig.loadFile('api-extractor.json')
mkdirSync('etc', { recursive: true })
let failures = 0
const reports = []

for (const [subpath, target] of Object.entries(exports)) {
  if (typeof target === 'string') continue
  const name = subpath === '.' ? 'plinth' : `plinth-${subpath.slice(2).replaceAll('/', '-')}`
  // The declarations before they are bundled: comments stand where the extractor looks for them.
  const types = target.types.replace('./dist/', 'temp/types/')
  if (!existsSync(types)) {
    console.error(`${subpath}: ${types} is not built`)
    failures += 1
    continue
  }
  reports.push(name)
  const config = ExtractorConfig.prepare({
    configObject: {
      ...base,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: 'NodeNext',
            moduleResolution: 'NodeNext',
            target: 'ES2023',
            lib: ['ES2023', 'ESNext.Disposable', ...(subpath === './filter/element' ? ['DOM'] : [])],
            types: ['node'],
            strict: true,
            skipLibCheck: true,
          },
          files: [types],
        },
      },
      projectFolder: process.cwd(),
      mainEntryPointFilePath: `${process.cwd()}/${types}`,
      apiReport: { ...base.apiReport, reportFileName: `${name}.api.md` },
    },
    configObjectFullPath: `${process.cwd()}/api-extractor.json`,
    packageJsonFullPath: `${process.cwd()}/package.json`,
  })
  const result = Extractor.invoke(config, {
    localBuild: local,
    messageCallback: (message) => {
      // Members that speak for themselves need no sentence; exported symbols do (read off the report below).
      if (message.messageId === 'ae-undocumented') message.handled = true
      if (message.messageId.startsWith('console-') && message.messageId !== 'console-api-report-not-copied')
        message.handled = message.logLevel !== 'error'
      if (message.logLevel === 'verbose' || message.logLevel === 'info') message.handled = true
    },
  })
  const report = readFileSync(`temp/${name}.api.md`, 'utf8')
  const bare = [
    ...report.matchAll(/^\/\/ @\w+ \(undocumented\)\nexport (?:declare |abstract )*\w+ (\w+)/gm),
  ].map((match) => match[1])
  for (const symbol of bare) console.error(`${subpath}: ${symbol} has no documentation`)
  const ok = result.errorCount === 0 && bare.length === 0 && (local || !result.apiReportChanged)
  if (!ok) failures += 1
  const changed = result.apiReportChanged
    ? local
      ? ' (written)'
      : ' (differs: run `npm run api -- --local` and commit it)'
    : ''
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}${changed}`)
}
for (const name of reports) rmSync(`temp/${name}.api.md`, { force: true })
process.exitCode = failures === 0 ? 0 : 1
