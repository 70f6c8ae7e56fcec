import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { drawnFences } from './drawing/fences.ts'

const withoutServices = [
  'secrets-rules',
  'scheduler-rules',
  'box-catalog-rules',
  'module-registry-rules',
  'paging',
]

const repository = 'https://github.com/plinth-engines/plinth'
const site = join(import.meta.dirname, '..')

/** The title of a page: its first heading. */
const titleOf = (path: string): string =>
  /^# (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1]?.replaceAll('`', '').replaceAll('\\', '') ?? path

/** The pages of a folder; those that `first` names come first, in its order. */
function pagesIn(folder: string, first: readonly string[] = []) {
  const path = join(site, folder)
  if (!existsSync(path)) return []
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length)
  return readdirSync(path)
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => file.slice(0, -'.md'.length))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .map((name) => ({ text: titleOf(join(path, `${name}.md`)), link: `/${folder}/${name}` }))
}

/** What a program imports, in the order of the package. */
const subpaths = Object.keys(JSON.parse(readFileSync(join(site, '../package.json'), 'utf8')).exports).map(
  (subpath) => `plinth${subpath.slice(1)}`,
)

/** The pages of the API, by what a program imports. */
const apiPages = () =>
  readdirSync(join(site, 'api'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => ({ text: titleOf(join(site, 'api', file)), link: `/api/${file.slice(0, -'.md'.length)}` }))
    .sort((a, b) => subpaths.indexOf(a.text) - subpaths.indexOf(b.text))

export default defineConfig({
  title: 'Plinth',
  description:
    'Domain engines for TypeScript: secrets, jobs, health, boxes, modules, and the filter language that searches them.',
  cleanUrls: true,
  lastUpdated: false,
  srcExclude: ['README.md', 'node_modules/**'],
  markdown: {
    languageAlias: { filter: 'sql' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Vue would take the braces of a template in code for its own.
    config: (md) => {
      const inline = md.renderer.rules.code_inline
      md.renderer.rules.code_inline = (tokens, at, ...rest) => {
        tokens[at]?.attrSet('v-pre', '')
        return inline?.(tokens, at, ...rest) ?? ''
      }
      const { fence } = md.renderer.rules
      if (fence) md.renderer.rules.fence = drawnFences(fence)
    },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('plinth-') } } },
  vite: {
    // The worker of the playground is a module.
    worker: { format: 'es' },
    // The editor of the playground is made of `src/filter/codemirror` and of the site: both must meet the same CodeMirror.
    resolve: {
      dedupe: ['autocomplete', 'language', 'lint', 'state', 'view'].map((name) => `@codemirror/${name}`),
    },
  },
  head: [
    ['link', { rel: 'icon', href: '/logo.svg', type: 'image/svg+xml' }],
    ['meta', { property: 'og:title', content: 'Plinth' }],
    // Social sites need a whole URL, and show no SVG: scripts/social-image.mjs makes the picture.
    [
      'meta',
      {
        property: 'og:image',
        content: `${repository.replace('github.com', 'raw.githubusercontent.com')}/main/site/public/social.png`,
      },
    ],
    ['meta', { property: 'og:image:width', content: '1200' }],
    ['meta', { property: 'og:image:height', content: '630' }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ],
  themeConfig: {
    logo: '/logo.svg',
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // Runs in the browser: it knows only what stands in it.
            processTerm: (term) => {
              const synonyms: Record<string, string[]> = {
                vault: ['secrets'],
                openbao: ['secrets', 'vault'],
                nomad: ['scheduler', 'jobs'],
                kubernetes: ['scheduler', 'comparison'],
                k8s: ['kubernetes', 'scheduler'],
                orchestrator: ['scheduler', 'jobs'],
                boundary: ['gateway', 'health'],
                expired: ['expires', 'ttl', 'lease'],
                expiry: ['expires', 'ttl', 'lease'],
                login: ['log', 'sign'],
                sso: ['oidc', 'login', 'browser'],
                okta: ['idp', 'identity', 'provider'],
                signin: ['login', 'log'],
                password: ['userpass', 'login'],
                hcp: ['catalog', 'vagrant'],
                atlas: ['catalog', 'vagrant'],
                tofu: ['terraform', 'registry'],
                opentofu: ['terraform', 'registry'],
                bexpr: ['filter'],
                where: ['filter'],
                query: ['filter'],
                cron: ['periodic'],
                container: ['runner', 'docker'],
                healthcheck: ['health', 'gateway'],
                acl: ['policies', 'rights'],
                permission: ['policies', 'rights'],
                rbac: ['policies', 'roles'],
                pagination: ['paging', 'page'],
                swagger: ['openapi'],
                mock: ['fake', 'test'],
                readiness: ['ready', 'health'],
              }
              const word = term.toLowerCase()
              return [word, ...(Object.hasOwn(synonyms, word) ? (synonyms[word] ?? []) : [])]
            },
            // What tells how comes before what lists everything.
            boostDocument: (page: string) =>
              /^\/(?:start|guide|recipes)\//.test(page) ? 3 : /^\/explanation\//.test(page) ? 2 : 1,
          },
        },
      },
    },
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: `${repository}/edit/main/site/:path`, text: 'Edit this page' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start/filter-users' },
      { text: 'Guides', link: '/guide/in-your-app' },
      { text: 'Reference', link: '/reference/filter' },
      { text: 'API', link: '/api/' },
      { text: 'Playground', link: '/playground' },
    ],
    sidebar: {
      '/api/': [{ text: 'API', items: apiPages() }],
      '/': [
        {
          text: 'Start',
          items: pagesIn('start', ['filter-users', 'test-with-secrets', 'boxes-and-modules']),
        },
        {
          text: 'Guides',
          items: pagesIn('guide', ['in-your-app', 'one-server', 'test-your-program']).filter(
            ({ link }) => !withoutServices.some((name) => link === `/guide/${name}`),
          ),
        },
        { text: 'Recipes', items: pagesIn('recipes') },
        {
          text: 'Engines without services',
          items: pagesIn('guide', withoutServices).slice(0, withoutServices.length),
        },
        {
          text: 'Reference',
          items: [
            ...pagesIn('reference', ['filter', 'refusals', 'settings', 'limits', 'lifecycles', 'commands']),
            { text: 'Endpoints', items: pagesIn('reference/endpoints') },
          ],
        },
        { text: 'Explanation', items: pagesIn('explanation', ['comparison', 'benchmarks']) },
      ],
    },
  },
})
