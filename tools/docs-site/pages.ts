// The pages of the documents: which files they come from, where they lie in the site, and how the navigation lists them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Page {
  /** Path of the Markdown file from the root of the clone. */
  source: string
  /** Path of the page from the root of the site. */
  path: string
  title: string
  text: string
}

/** Documents outside docs/, and their places in the site. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'README.md': 'index.html',
  'CONTRIBUTING.md': 'project/contributing.html',
  'CHANGELOG.md': 'project/changelog.html',
  'lab/README.md': 'project/lab.html',
  'test/conformance/README.md': 'project/conformance.html',
}

/** The navigation: pages by name. A page that no group names is listed under the last group. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Start', ['index', 'tutorial', 'install', 'install-other', 'migrating-from-salt', 'glossary']],
  [
    'Use',
    [
      'configuration',
      'templates',
      'reactor',
      'events',
      'salt-ssh',
      'rosters',
      'cloud',
      'cloud-drivers',
      'aws',
      'containers',
      'console',
      'api',
      'api-v1',
      'api-events',
    ],
  ],
  [
    'Operate',
    [
      'operations',
      'troubleshooting',
      'doctor',
      'monitoring',
      'logging',
      'backup',
      'upgrades',
      'restarts',
      'storage',
      'security',
      'access-lists',
    ],
  ],
  ['Data and files', ['external-data', 'fileserver', 'gitfs', 'vault']],
  ['Extend', ['own-modules', 'extensions', 'engines']],
  [
    'Reference',
    [
      'reference/index',
      ...['states', 'modules', 'runners', 'wheel', 'thorium'].map((family) => `reference/${family}/index`),
      ...[
        'master-options',
        'minion-options',
        'metrics',
        'beacons',
        'returners',
        'engines',
        'pillars',
        'sdb',
        'tops',
        'caches',
        'clouds',
        'absent',
      ].map((name) => `reference/${name}`),
    ],
  ],
  [
    'Project',
    [
      'architecture',
      'contributing',
      'adr/index',
      'project/contributing',
      'project/changelog',
      'project/lab',
      'project/conformance',
    ],
  ],
]

function pathOf(source: string): string {
  const outside = OUTSIDE[source]
  if (outside !== undefined) return outside
  return source
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.html')
    .replace(/\.md$/, '.html')
}

const KINDS: Readonly<Record<string, string>> = {
  modules: 'execution module',
  states: 'state module',
  runners: 'runner',
  wheel: 'wheel module',
  thorium: 'Thorium',
}

/** Return the title of a page. That of a module names its kind, because a state and an execution module may have one name. */
function titleOf(source: string, text: string): string {
  const heading = /^# (.+)$/m.exec(text)?.[1]?.replaceAll(/[`\\]/g, '') ?? 'Brine'
  const kind = KINDS[/^docs\/reference\/(\w+)\/(?!README)/.exec(source)?.[1] ?? '']
  return kind === undefined ? heading : `${heading} (${kind})`
}

/** Lines for authors of generated documents. */
const MADE_BY = /^Made by `tools\/.*do not edit by hand\.\n\n/m

/** Return all pages of the documents. */
export function pagesOf(root: string): Page[] {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) => `docs/${file}`)
  return [...Object.keys(OUTSIDE), ...below.sort()]
    .filter((source) => source.endsWith('.md') && existsSync(join(root, source)))
    .map((source) => {
      const text = readFileSync(join(root, source), 'utf8').replace(MADE_BY, '')
      return { source, path: pathOf(source), title: titleOf(source, text), text }
    })
}

export interface NavGroup {
  title: string
  pages: Page[]
}

/** Return the groups of the navigation. Pages of single modules and decisions are reached through their index. */
export function navigation(pages: readonly Page[]): NavGroup[] {
  const byName = new Map(pages.map((page) => [page.path.replace(/\.html$/, ''), page]))
  const groups = GROUPS.map(([title, names]) => ({
    title,
    pages: names.map((name) => byName.get(name)).filter((page) => page !== undefined),
  }))
  const listed = new Set(groups.flatMap((group) => group.pages))
  groups.at(-1)!.pages.push(...pages.filter((page) => !page.path.includes('/') && !listed.has(page)))
  return groups
}
