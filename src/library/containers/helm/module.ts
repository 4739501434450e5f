// Charts and releases of Helm, through its program: Salt's `helm` module.
import { type Dict, failure, isDict, isList, loadJson, str, type Value } from '../../../data/mod.ts'
import {
  type Args,
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'

const flags = arg.list('Flags without a value, such as `debug`', { optional: true })
const kvflags = arg.dict('Flags with a value, such as `timeout: 5m`', { optional: true })
const namespace = arg.text('Namespace', { optional: true })
const values = arg.text('File with values for the chart', { optional: true })
const set = arg.any('Values for the chart: a text `key=value`, or a list of such texts', { optional: true })
const version = arg.text('Version of the chart', { optional: true })

/** What a function returns: True, the output, or the output read as JSON; a text of errors when the program fails. */
type Answer = 'done' | 'text' | 'data'

interface Row {
  doc: string
  /** Words of the command; a word that begins with a colon is an argument. */
  words: string
  answer: Answer
  /** Whether nothing is changed. */
  isReading?: boolean
  /** Optional arguments that are flags of the program. */
  options?: Args
}

const TEXTS: Readonly<Record<string, string>> = {
  chart: 'Chart: a folder, an archive, an address, or `repository/name`',
  release: 'Name of the release',
  name: 'Name',
  path: 'Path',
  keyword: 'Word to search for',
}

const ROWS: Readonly<Record<string, Row>> = {
  completion: {
    doc: 'Return the completion script for a shell.',
    words: 'completion :shell',
    answer: 'text',
    isReading: true,
  },
  create: { doc: 'Create a chart in a folder.', words: 'create :name', answer: 'done' },
  dependency_build: {
    doc: 'Fetch the dependencies of a chart by its lock file.',
    words: 'dependency build :chart',
    answer: 'done',
  },
  dependency_list: {
    doc: 'Return the dependencies of a chart.',
    words: 'dependency list :chart',
    answer: 'text',
    isReading: true,
  },
  dependency_update: { doc: 'Fetch the dependencies of a chart.', words: 'dependency update :chart', answer: 'done' },
  env: { doc: 'Return the environment of Helm.', words: 'env', answer: 'text', isReading: true },
  get_all: { doc: 'Return everything about a release.', words: 'get all :release', answer: 'text', isReading: true },
  get_hooks: { doc: 'Return the hooks of a release.', words: 'get hooks :release', answer: 'text', isReading: true },
  get_manifest: {
    doc: 'Return the manifest of a release.',
    words: 'get manifest :release',
    answer: 'text',
    isReading: true,
  },
  get_notes: { doc: 'Return the notes of a release.', words: 'get notes :release', answer: 'text', isReading: true },
  get_values: { doc: 'Return the values of a release.', words: 'get values :release', answer: 'data', isReading: true },
  help: { doc: 'Return the help for a command.', words: 'help :command', answer: 'text', isReading: true },
  history: { doc: 'Return the revisions of a release.', words: 'history :release', answer: 'data', isReading: true },
  install: {
    doc: 'Install a chart.',
    words: 'install :release :chart',
    answer: 'done',
    options: { values, version, namespace, set },
  },
  lint: {
    doc: 'Check a chart.',
    words: 'lint :path',
    answer: 'done',
    isReading: true,
    options: { values, namespace, set },
  },
  list: { doc: 'Return the releases.', words: 'list', answer: 'data', isReading: true, options: { namespace } },
  package: { doc: 'Make an archive of a chart.', words: 'package :chart', answer: 'done' },
  plugin_install: { doc: 'Install a plugin of Helm.', words: 'plugin install :path', answer: 'done' },
  plugin_list: { doc: 'Return the plugins of Helm.', words: 'plugin list', answer: 'text', isReading: true },
  plugin_uninstall: { doc: 'Remove a plugin of Helm.', words: 'plugin uninstall :plugin', answer: 'done' },
  plugin_update: { doc: 'Update a plugin of Helm.', words: 'plugin update :plugin', answer: 'done' },
  pull: { doc: 'Fetch a chart.', words: 'pull :pkg', answer: 'done' },
  repo_add: { doc: 'Add a repository.', words: 'repo add :name :url', answer: 'done', options: { namespace } },
  repo_index: {
    doc: 'Write the index of a folder of charts.',
    words: 'repo index :directory',
    answer: 'done',
    options: { namespace },
  },
  repo_list: {
    doc: 'Return the repositories.',
    words: 'repo list',
    answer: 'data',
    isReading: true,
    options: { namespace },
  },
  repo_remove: { doc: 'Remove a repository.', words: 'repo remove :name', answer: 'done', options: { namespace } },
  repo_update: {
    doc: 'Fetch the indexes of all repositories.',
    words: 'repo update',
    answer: 'done',
    options: { namespace },
  },
  rollback: {
    doc: 'Go back to a revision of a release.',
    words: 'rollback :release :revision',
    answer: 'done',
    options: { namespace },
  },
  search_hub: {
    doc: 'Search charts in the Artifact Hub.',
    words: 'search hub :keyword',
    answer: 'data',
    isReading: true,
  },
  search_repo: {
    doc: 'Search charts in the repositories.',
    words: 'search repo :keyword',
    answer: 'data',
    isReading: true,
  },
  show_all: { doc: 'Return everything about a chart.', words: 'show all :chart', answer: 'text', isReading: true },
  show_chart: { doc: 'Return the definition of a chart.', words: 'show chart :chart', answer: 'text', isReading: true },
  show_readme: { doc: 'Return the README of a chart.', words: 'show readme :chart', answer: 'text', isReading: true },
  show_values: {
    doc: 'Return the default values of a chart.',
    words: 'show values :chart',
    answer: 'text',
    isReading: true,
  },
  status: {
    doc: 'Return the status of a release.',
    words: 'status :release',
    answer: 'data',
    isReading: true,
    options: { namespace },
  },
  template: {
    doc: 'Return the manifests that a chart makes.',
    words: 'template :name :chart',
    answer: 'text',
    isReading: true,
    options: { values, output_dir: arg.text('Folder for the manifests', { optional: true }), set },
  },
  test: { doc: 'Run the tests of a release.', words: 'test :release', answer: 'text' },
  uninstall: { doc: 'Remove a release.', words: 'uninstall :release', answer: 'done', options: { namespace } },
  upgrade: {
    doc: 'Upgrade a release.',
    words: 'upgrade :release :chart',
    answer: 'done',
    options: { values, version, namespace, set },
  },
  verify: { doc: 'Check the signature of a chart.', words: 'verify :path', answer: 'done', isReading: true },
  version: { doc: 'Return the version of Helm.', words: 'version', answer: 'text', isReading: true },
}

/** Return an argument that cannot be read as a flag. */
function plain(name: string, value: Value): string {
  const text = str(value)
  if (text.startsWith('-')) throw failure(`The ${name} of a call of helm cannot begin with a dash: ${text}`)
  return text
}

/** Refuse flags by which a function that reads would run a program. */
function assertReading({ flags, kvflags }: Flags): void {
  const names = [...(isList(flags) ? flags : []), ...(isDict(kvflags) ? kvflags.keys() : [])].map((name) => str(name))
  const found = names.find((name) => /^-*post-renderer/.test(name))
  if (found !== undefined) throw failure(`A function that only reads cannot run a program: ${found}`)
}

const flagged = (name: string): string => (name.startsWith('--') ? name : `--${name}`)

function declared(name: string, row: Row): FunctionDeclaration {
  const words = row.words.split(' ')
  const given = words.filter((word) => word.startsWith(':')).map((word) => word.slice(1))
  const args: Args = {
    ...Object.fromEntries(given.map((each) => [each, arg.text(TEXTS[each] ?? `The ${each}`)])),
    ...row.options,
    flags,
    kvflags,
  }
  return (row.isReading ? reads : changes)({
    doc: row.doc,
    example: `helm.${name}${given.map((each) => ` ${each.toUpperCase()}`).join('')}`,
    args,
    returns: ret.any(row.answer === 'done' ? 'True, or what Helm says' : 'What Helm prints'),
    run: (ctx, bound) => {
      const all = bound as unknown as Record<string, Value>
      const argv = words.map((word) => (word.startsWith(':') ? plain(word.slice(1), all[word.slice(1)]!) : word))
      const options = Object.keys(row.options ?? {}).map((each): [string, Value] => [
        each.replace('_', '-'),
        all[each] ?? null,
      ])
      const given = { flags: all['flags'] ?? null, kvflags: all['kvflags'] ?? null, options }
      if (row.isReading) assertReading(given)
      return helm(ctx, argv, row.answer, given)
    },
  })
}

interface Flags {
  flags: Value
  kvflags: Value
  options: readonly [string, Value][]
}

async function helm(ctx: FunctionContext, words: readonly string[], answer: Answer, given: Flags): Promise<Value> {
  const named = new Map<string, Value>(
    isDict(given.kvflags) ? [...given.kvflags].map(([key, value]) => [flagged(str(key)), value]) : [],
  )
  for (const [name, value] of given.options) if (value !== null && value !== '') named.set(flagged(name), value)
  if (answer === 'data' && !named.has('--output')) named.set('--output', 'json')
  const argv: string[] = [
    'helm',
    ...words,
    ...(isList(given.flags) ? given.flags.map((flag) => flagged(str(flag))) : []),
  ]
  for (const [name, value] of named)
    for (const each of name === '--set' && isList(value) ? value : [value]) argv.push(name, str(each))
  const done = await runAll(ctx, argv)
  if (done.retcode !== 0) return done.stderr
  if (answer === 'done') return true
  return answer === 'data' && named.get('--output') === 'json' ? loadJson(done.stdout) : done.stdout
}

const repository = (entry: Value): Dict => {
  if (isDict(entry) && entry.has('name') && entry.has('url')) return entry
  throw failure("Parameter present have to be formatted like [{'name': '<myRepoName>', 'url': '<myRepoUrl>'}]")
}

/** Bring the list of repositories in order. */
async function manage(
  ctx: FunctionContext,
  given: { present: Value[]; absent: Value[]; prune: boolean; namespace: string | null },
): Promise<Dict> {
  const place: Record<string, Value> = { namespace: given.namespace }
  const listed = (await ctx.call('helm.repo_list', [], place)) as Value
  let left = (isList(listed) ? listed : []).filter(isDict)
  const result: Record<'present' | 'added' | 'absent' | 'removed' | 'failed', Value[]> = {
    present: [],
    added: [],
    absent: [],
    removed: [],
    failed: [],
  }
  for (const repo of given.present.map(repository)) {
    const isThere = (other: Dict): boolean =>
      other.get('name') === repo.get('name') && other.get('url') === repo.get('url')
    if (left.some(isThere)) {
      result.present.push(repo)
      left = left.filter((other) => !isThere(other))
    } else {
      const added = (await ctx.call('helm.repo_add', [repo.get('name')!, repo.get('url')!], place)) as Value
      result[added === true ? 'added' : 'failed'].push(repo)
    }
  }
  const absent = [...given.absent]
  for (const repo of left) {
    if (given.prune) absent.push(repo.get('name')!)
    else if (!absent.includes(repo.get('name')!)) result.present.push(repo)
  }
  for (const name of absent) {
    const removed = (await ctx.call('helm.repo_remove', [name], place)) as Value
    result[removed === true ? 'removed' : 'absent'].push(name)
  }
  return new Map<Value, Value>(Object.entries(result))
}

export default defineModule({
  name: 'helm',
  doc: 'Manage charts and releases of Helm, a package manager for Kubernetes.',
  when: async ({ host }) =>
    (await host.which('helm')) !== undefined ||
    'The helm execution module failed to load: the helm binary is not in the path.',
  functions: {
    ...Object.fromEntries(Object.entries(ROWS).map(([name, row]) => [name, declared(name, row)])),
    repo_manage: changes({
      doc: 'Add and remove repositories until the list is as wanted.',
      example: `helm.repo_manage present="[{'name': 'LOCAL', 'url': 'http://charts.example.com'}]"`,
      args: {
        present: arg.list('Repositories to add: dicts with `name` and `url`', { optional: true }),
        absent: arg.list('Names of repositories to remove', { optional: true }),
        prune: arg.flag('Whether all other repositories are removed', { default: false }),
        namespace,
        flags,
        kvflags,
      },
      returns: ret.dict('Lists `present`, `added`, `absent`, `removed` and `failed`'),
      run: (ctx, { present, absent, prune, namespace }) =>
        manage(ctx, { present: present ?? [], absent: absent ?? [], prune, namespace }),
    }),
  },
})
