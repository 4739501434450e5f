// Modules and playbooks of Ansible as states. The changes of a playbook come from its report, by play, task and host.
import { toError } from '../../../base/mod.ts'
import { type Dict, getItem, isDict, isList, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const dictIn = (data: Value, key: string): Dict => getItem(data, key) as Dict
const listIn = (data: Value, key: string): Value[] => getItem(data, key) as Value[]

function hostChange(data: Dict): Value | undefined {
  if (data.get('changed') === true) return data.get('diff') ?? data.get('changes') ?? new Map()
  const isNotable = ['failed', 'skipped', 'unreachable'].some((key) => data.has(key))
  return isNotable ? (data.get('results') ?? data.get('msg') ?? new Map()) : undefined
}

/** Keep the entries with a value. */
function defined(entries: Iterable<[Value, Value | undefined]>): Dict {
  const kept: Dict = new Map()
  for (const [name, value] of entries) if (value !== undefined) kept.set(name, value)
  return kept
}

const orNothing = (dict: Dict): Dict | undefined => (dict.size > 0 ? dict : undefined)

function changesIn(report: Dict): Dict {
  return defined(
    listIn(report, 'plays').map((play): [Value, Value | undefined] => {
      const tasks = listIn(play, 'tasks').map((task): [Value, Value | undefined] => {
        const hosts = [...dictIn(task, 'hosts')].map(([host, data]): [Value, Value | undefined] => [
          host,
          hostChange(data as Dict),
        ])
        return [getItem(getItem(task, 'task'), 'name'), orNothing(defined(hosts))]
      })
      return [getItem(getItem(play, 'play'), 'name'), orNothing(defined(tasks))]
    }),
  )
}

const PLAYBOOK = {
  name: arg.string('Path of the playbook, relative to `rundir`'),
  rundir: arg.text('Directory to run the playbook in', { optional: true }),
  git_repo: arg.text('URL of a Git repository to clone first', { optional: true }),
  git_kwargs: arg.any('Dict of options of `git.latest`; other values are ignored', { optional: true }),
  ansible_kwargs: arg.any('Dict of options of `ansible.playbooks`; other values are ignored', { optional: true }),
}

type Playbook = Bound<typeof PLAYBOOK>

const keywords = (given: Value): Array<[string, Value]> =>
  isDict(given) ? [...given].map(([key, value]): [string, Value] => [str(key), value]) : []

async function folderOf(ctx: StateContext, { rundir, git_repo, git_kwargs }: Playbook): Promise<string | null> {
  if (!git_repo) return rundir
  const isFolder = rundir !== null && (await ctx.host.stat(rundir))?.type === 'directory'
  const target = isFolder ? rundir : ctx.files.cachePath(git_repo, 'base')
  await ctx.state(
    'git.latest',
    new Map<string, Value>([['name', git_repo], ['target', target], ...keywords(git_kwargs)]),
  )
  return target
}

async function playbooks(ctx: StateContext, playbook: Playbook): Promise<StateReturn> {
  const { name } = playbook
  const rundir = await folderOf(ctx, playbook)
  const options: Array<[string, Value]> = [
    ['rundir', rundir],
    ...(ctx.test ? [['check', true] as [string, Value]] : []),
  ]
  const given = new Map<string, Value>([...options, ['diff', true], ...keywords(playbook.ansible_kwargs)])
  const report = await ctx.call('ansible.playbooks', [name], given)
  const ret = (result: boolean | null, comment: Value, changes: Dict = new Map()): StateReturn => ({
    result,
    changes,
    comment: comment as string,
    name,
  })
  if (!report.has('stats')) return ret(false, report.get('stderr') ?? report)
  const hosts = [...dictIn(report, 'stats').values()]
  const is = (host: Value, key: string): boolean => truthy(getItem(host, key))
  const isWell = (host: Value): boolean => !is(host, 'failures') && !is(host, 'unreachable')
  if (hosts.every((host) => isWell(host) && !is(host, 'changed'))) {
    return ret(true, `No changes to be made from playbook ${name}`, ctx.test ? new Map() : changesIn(report))
  }
  const changes = changesIn(report)
  const issues = `There were some issues running the playbook ${name}`
  if (ctx.test) {
    const isChange = hosts.some((host) => isWell(host) && is(host, 'changed'))
    return isChange ? ret(null, `Changes will be made from playbook ${name}`, changes) : ret(false, issues, changes)
  }
  return hosts.every(isWell) ? ret(true, `Changes were made by playbook ${name}`, changes) : ret(false, issues, changes)
}

async function call(ctx: StateContext, name: string, modules: ReadonlyMap<string, Value>): Promise<StateReturn> {
  if (ctx.test) {
    const names = [...modules.keys()].join(', ')
    return { name, changes: {}, comment: `Modules of Ansible would be called: ${names}`, result: null }
  }
  const changes: Dict = new Map()
  let result = true
  for (const [module, params] of modules) {
    const given = (isList(params) ? params : []).filter(isDict).flatMap(keywords)
    try {
      changes.set(module, await ctx.call('ansible.call', [module], new Map(given)))
    } catch (thrown) {
      const error = toError(thrown)
      const kind = error instanceof SaltError ? error.code : error.name
      changes.set(module, `Module "${module}" failed. Error message: (${kind}) ${error.message}`)
      result = false
    }
  }
  return { name, changes, comment: '', result }
}

export default defineState({
  name: 'ansiblegate',
  virtual: 'ansible',
  doc: 'Run modules and playbooks of Ansible.',
  functions: {
    playbooks: state({
      doc: 'Run a playbook. In a dry run, Ansible predicts the changes.',
      args: PLAYBOOK,
      run: playbooks,
    }),
    call: state({
      doc: 'Call Ansible modules, each with a list of its arguments.',
      args: { name: arg.string('Name of the state'), kwargs: arg.open('Lists of arguments by module name') },
      run: (ctx, { name, kwargs }) => call(ctx, name, kwargs),
    }),
  },
})
