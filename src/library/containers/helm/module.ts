// Charts and releases of Helm, through its program: Salt's `helm` module.
import { type Dict, dictFrom, failure, isDict, isList, loadJson, str, type Value } from '../../../data/mod.ts'
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

/** The result of a function: True, the output, or the output parsed as JSON; an error text if the program fails. */
type Answer = 'done' | 'text' | 'data'

interface Row {
  doc: string
  /** Words of the command; a word that begins with a colon is an argument. */
  words: string
  answer: Answer
  /** Whether the function only reads. */
  isReading?: boolean
  /** Optional arguments that are flags of the program. */
  options: Args
}

const TEXTS: Readonly<Record<string, string>> = {
  chart: 'Chart: a folder, an archive, an address, or `repository/name`',
  release: 'Name of the release',
  name: 'Name',
  path: 'Path',
  keyword: 'Word to search for',
}

/** Return a row of a function that may change something. */
const changing = (answer: Answer, words: string, doc: string, options: Args = {}): Row => ({
  doc,
  words,
  answer,
  options,
})

/** Return a row of a function that only reads. */
const reading = (answer: Answer, words: string, doc: string, options?: Args): Row => ({
  ...changing(answer, words, doc, options),
  isReading: true,
})

const ROWS: Readonly<Record<string, Row>> = {
  completion: reading('text', 'completion :shell', 'Return the completion script for a shell.'),
  create: changing('done', 'create :name', 'Create a chart in a folder.'),
  dependency_build: changing('done', 'dependency build :chart', 'Fetch the dependencies of a chart by its lock file.'),
  dependency_list: reading('text', 'dependency list :chart', 'Return the dependencies of a chart.'),
  dependency_update: changing('done', 'dependency update :chart', 'Fetch the dependencies of a chart.'),
  env: reading('text', 'env', 'Return the environment of Helm.'),
  get_all: reading('text', 'get all :release', 'Return everything about a release.'),
  get_hooks: reading('text', 'get hooks :release', 'Return the hooks of a release.'),
  get_manifest: reading('text', 'get manifest :release', 'Return the manifest of a release.'),
  get_notes: reading('text', 'get notes :release', 'Return the notes of a release.'),
  get_values: reading('data', 'get values :release', 'Return the values of a release.'),
  help: reading('text', 'help :command', 'Return the help for a command.'),
  history: reading('data', 'history :release', 'Return the revisions of a release.'),
  install: changing('done', 'install :release :chart', 'Install a chart.', { values, version, namespace, set }),
  lint: reading('done', 'lint :path', 'Check a chart.', { values, namespace, set }),
  list: reading('data', 'list', 'Return the releases.', { namespace }),
  package: changing('done', 'package :chart', 'Make an archive of a chart.'),
  plugin_install: changing('done', 'plugin install :path', 'Install a plugin of Helm.'),
  plugin_list: reading('text', 'plugin list', 'Return the plugins of Helm.'),
  plugin_uninstall: changing('done', 'plugin uninstall :plugin', 'Remove a plugin of Helm.'),
  plugin_update: changing('done', 'plugin update :plugin', 'Update a plugin of Helm.'),
  pull: changing('done', 'pull :pkg', 'Fetch a chart.'),
  repo_add: changing('done', 'repo add :name :url', 'Add a repository.', { namespace }),
  repo_index: changing('done', 'repo index :directory', 'Write the index of a folder of charts.', { namespace }),
  repo_list: reading('data', 'repo list', 'Return the repositories.', { namespace }),
  repo_remove: changing('done', 'repo remove :name', 'Remove a repository.', { namespace }),
  repo_update: changing('done', 'repo update', 'Fetch the indexes of all repositories.', { namespace }),
  rollback: changing('done', 'rollback :release :revision', 'Go back to a revision of a release.', { namespace }),
  search_hub: reading('data', 'search hub :keyword', 'Search charts in the Artifact Hub.'),
  search_repo: reading('data', 'search repo :keyword', 'Search charts in the repositories.'),
  show_all: reading('text', 'show all :chart', 'Return everything about a chart.'),
  show_chart: reading('text', 'show chart :chart', 'Return the definition of a chart.'),
  show_readme: reading('text', 'show readme :chart', 'Return the README of a chart.'),
  show_values: reading('text', 'show values :chart', 'Return the default values of a chart.'),
  status: reading('data', 'status :release', 'Return the status of a release.', { namespace }),
  template: reading('text', 'template :name :chart', 'Return the manifests that a chart makes.', {
    values,
    output_dir: arg.text('Folder for the manifests', { optional: true }),
    set,
  }),
  test: changing('text', 'test :release', 'Run the tests of a release.'),
  uninstall: changing('done', 'uninstall :release', 'Remove a release.', { namespace }),
  upgrade: changing('done', 'upgrade :release :chart', 'Upgrade a release.', { values, version, namespace, set }),
  verify: reading('done', 'verify :path', 'Check the signature of a chart.'),
  version: reading('text', 'version', 'Return the version of Helm.'),
}

/** Return an argument that cannot be read as a flag. */
function plain(name: string, value: Value): string {
  const text = str(value)
  if (text.startsWith('-')) throw failure(`The ${name} of a call of helm cannot begin with a dash: ${text}`)
  return text
}

/** Throw for flags that would make a reading function run a program. */
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
      const options = Object.keys(row.options).map((each): [string, Value] => [
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
  const listed = await ctx.call('helm.repo_list', [], place)
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
      const added = await ctx.call('helm.repo_add', [repo.get('name')!, repo.get('url')!], place)
      result[added === true ? 'added' : 'failed'].push(repo)
    }
  }
  const absent = [...given.absent]
  for (const repo of left) {
    if (given.prune) absent.push(repo.get('name')!)
    else if (!absent.includes(repo.get('name')!)) result.present.push(repo)
  }
  for (const name of absent) {
    const removed = await ctx.call('helm.repo_remove', [name], place)
    result[removed === true ? 'removed' : 'absent'].push(name)
  }
  return dictFrom(result)
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
