// Ansible: its modules, playbooks and inventories. `ansible.call` calls every module.
import { isAnyError, recover } from '../../../base/mod.ts'
import {
  type Dict,
  decodeBytes,
  dumpJson,
  failure,
  fnmatchFilter,
  isDict,
  iterate,
  loadJson,
  shlexQuote,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  optionalText,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { callModule, QUIET } from './module/call.ts'
import { folderFault, inventoryTargets, playbooksIn, TARGETS } from './module/inventory.ts'

const PROGRAMS = ['ansible', 'ansible-doc', 'ansible-playbook']
const OWN = ['help', 'list_', 'call', 'playbooks', 'discover_playbooks', 'targets']

async function documents(ctx: FunctionContext, words: readonly string[]): Promise<Dict> {
  const program = (await ctx.host.which('ansible-doc')) ?? 'ansible-doc'
  const argv = [program, '--json', '--type=module', ...words]
  const { retcode, stdout, stderr } = await ctx.host.run({ argv, env: QUIET })
  if (retcode !== 0) throw failure(`Failed to get the listing of ansible modules:\n${decodeBytes(stderr)}`)
  return loadJson(decodeBytes(stdout)) as Dict
}

async function help(ctx: FunctionContext, module: string | null, sections: readonly Value[]): Promise<Dict> {
  if (!module) {
    throw failure(
      'Please tell me what module you want to have helped with. Or call "ansible.list" to know what is available.',
    )
  }
  const doc = [...(await documents(ctx, [module])).values()][0] as Dict
  const all: Dict = new Map()
  if (sections.length === 0) {
    for (const [name, value] of doc.get('doc') as Dict) all.set(name, value)
    for (const name of ['examples', 'return', 'metadata'])
      if (truthy(doc.get(name) ?? null)) all.set(name, doc.get(name)!)
  } else for (const name of sections) if ((doc.get(name) ?? null) !== null) all.set(name, doc.get(name)!)
  return all
}

/** Return the modules by their full name, and by the name without `ansible.` and `ansible.builtin.`. */
async function moduleNames(ctx: FunctionContext): Promise<string[]> {
  const names = new Set(OWN)
  for (const key of (await documents(ctx, ['--list'])).keys()) {
    const name = str(key)
    const alias = name.replace(/^ansible\./, '')
    names.add(alias)
    if (alias !== name && /^(builtin|system)\./.test(alias)) names.add(alias.slice(alias.indexOf('.') + 1))
  }
  return [...names].sort()
}

const off = (doc: string) => arg.flag(doc, { default: false })

const PLAYBOOK = {
  playbook: arg.text('Path of the playbook'),
  rundir: optionalText('Directory to run the playbook in'),
  check: off('Predict changes without making them'),
  diff: off('Show differences of changed files'),
  extra_vars: arg.any('Dict of variables, or `@` and the path of a file; other values are ignored', { optional: true }),
  flush_cache: off('Clear the cache of host facts'),
  forks: arg.count('Number of hosts at a time', { default: 5 }),
  inventory: optionalText('Path of the inventory, or hosts separated by commas'),
  limit: optionalText('Pattern of the hosts to run on'),
  list_hosts: off('List the hosts without running the playbook'),
  list_tags: off('List the tags without running the playbook'),
  list_tasks: off('List the tasks without running the playbook'),
  module_path: optionalText('Directories of further modules, separated by colons'),
  skip_tags: optionalText('Tags of tasks to leave out'),
  start_at_task: optionalText('Name of the task to start at'),
  syntax_check: off('Check the syntax without running the playbook'),
  tags: optionalText('Tags of the tasks to run'),
  playbook_kwargs: arg.any('Dict of further options of ansible-playbook; other values are ignored', { optional: true }),
}

type Playbook = Bound<typeof PLAYBOOK>

function playbookWords(given: Playbook): string[] {
  const option = (name: keyof Playbook): string[] => {
    const value = given[name]
    const word = `--${name.replaceAll('_', '-')}`
    return value === true ? [word] : typeof value === 'string' && value !== '' ? [`${word}=${value}`] : []
  }
  const variables = given.extra_vars
  const file = textOf(variables)?.startsWith('@') ? str(variables) : undefined
  const extra = isDict(variables) ? dumpJson(variables) : file
  return [
    ...option('check'),
    ...option('diff'),
    ...(extra === undefined ? [] : [`--extra-vars=${shlexQuote(extra)}`]),
    ...(['flush_cache', 'inventory', 'limit', 'list_hosts', 'list_tags', 'list_tasks'] as const).flatMap(option),
    ...(['module_path', 'skip_tags', 'start_at_task', 'syntax_check', 'tags'] as const).flatMap(option),
    ...further(given.playbook_kwargs),
    `--forks=${given.forks}`,
  ]
}

function further(kwargs: Value): string[] {
  const words: string[] = []
  for (const [key, value] of isDict(kwargs) ? kwargs : []) {
    const option = `--${str(key).replaceAll('_', '-')}`
    if (value === true) words.push(option)
    else if (textOf(value) !== undefined) words.push(`${option}=${str(value)}`)
    else if (isDict(value)) words.push(`${option}=${dumpJson(value)}`)
  }
  return words
}

async function playbooks(ctx: FunctionContext, given: Playbook): Promise<Dict> {
  const answer = await ctx.call('cmd.run_all', [], {
    env: new Map([['ANSIBLE_STDOUT_CALLBACK', 'json'], ['ANSIBLE_RETRY_FILES_ENABLED', '0'], ...QUIET]),
    cwd: given.rundir,
    cmd: ['ansible-playbook', given.playbook, ...playbookWords(given)].join(' '),
    reset_system_locale: false,
  })
  const report = playbookReport(answer)
  const retcode = answer.get('retcode')
  if (retcode === undefined) return report
  ctx.memory.set('retcode', retcode)
  return report.set('retcode', retcode)
}

/** Return the report of the playbook, or the outcome of the program without a report. */
function playbookReport(answer: Dict): Dict {
  return recover(isAnyError, answer, () => {
    const report = loadJson(str(answer.get('stdout') ?? ''))
    return isDict(report) ? report : answer
  })
}

const DISCOVER = {
  path: optionalText('Directory to search'),
  locations: arg.any('List of directories to search', { optional: true }),
  playbook_extension: arg.any('Suffix of playbooks, or a list of suffixes; default: `.yml` and `.yaml`', {
    optional: true,
  }),
  hosts_filename: optionalText('File name of inventories beside playbooks; default: `hosts`'),
  syntax_check: off('Leave out playbooks with a wrong syntax'),
}

async function discover(ctx: FunctionContext, given: Bound<typeof DISCOVER>): Promise<Dict> {
  const { path, locations, playbook_extension } = given
  if (!path && !truthy(locations)) throw failure("You have to specify either 'path' or 'locations' arguments")
  if (path && truthy(locations)) throw failure("You cannot specify 'path' and 'locations' at the same time")
  const search = {
    extensions: truthy(playbook_extension) ? playbook_extension : ['.yml', '.yaml'],
    hosts: given.hosts_filename || 'hosts',
    check: given.syntax_check,
  }
  const fault = path ? await folderFault(ctx, path) : undefined
  if (fault !== undefined) throw failure(fault)
  const found: Dict = new Map()
  for (const folder of path ? [path] : iterate(locations)) {
    found.set(folder, new Map<Value, Value>(await playbooksIn(ctx, str(folder), search)))
  }
  return found
}

export default defineModule({
  name: 'ansiblegate',
  virtual: 'ansible',
  doc: 'Run modules and playbooks of Ansible.',
  when: async ({ host }) => {
    for (const program of PROGRAMS) {
      if ((await host.which(program)) === undefined) return `The '${program}' binary was not found.`
    }
    return true
  },
  functions: {
    help: reads({
      doc: 'Return the documentation of an Ansible module.',
      example: 'ansible.help ping',
      args: {
        module: optionalText('Module name'),
        args: arg.rest('Sections of the documentation; all sections when left out'),
      },
      returns: ret.dict('Documentation by section'),
      run: (ctx, { module, args }) => help(ctx, module, args),
    }),
    list: reads({
      doc: 'List the Ansible modules.',
      example: "ansible.list '*win*'",
      calledAs: 'list_',
      args: { pattern: optionalText('Glob for module names') },
      returns: ret.texts('Module names'),
      run: async (ctx, { pattern }) => {
        const names = await moduleNames(ctx)
        return pattern === null ? names : fnmatchFilter(names, pattern)
      },
    }),
    call: changes({
      doc: 'Call an Ansible module on this machine.',
      example: 'ansible.call ping data=foobar',
      args: {
        module: arg.string('Module name'),
        args: arg.rest('Arguments of the module'),
        kwargs: arg.open('Named arguments of the module'),
      },
      returns: ret.dict('Answer of the module'),
      run: async (ctx, { module, args, kwargs }) => new Map<Value, Value>(await callModule(ctx, module, args, kwargs)),
    }),
    playbooks: changes({
      doc: 'Run a playbook.',
      example: 'ansible.playbooks playbook=/srv/playbooks/play.yml',
      args: PLAYBOOK,
      returns: ret.dict('Report of the playbook, with `retcode`'),
      run: async (ctx, given) => {
        if ((await ctx.host.which('ansible-playbook')) === undefined) {
          throw failure("The 'ansible-playbook' binary was not found in $PATH.")
        }
        return playbooks(ctx, given)
      },
    }),
    targets: reads({
      doc: 'List the hosts of inventories.',
      example: 'ansible.targets inventory=my_custom_inventory',
      args: TARGETS,
      returns: ret.any('Hosts of the inventory, or by inventory path for a list of inventories'),
      run: inventoryTargets,
    }),
    discover_playbooks: reads({
      doc: 'List the playbooks in directories and in their direct subdirectories.',
      example: 'ansible.discover_playbooks path=/srv/playbooks/',
      args: DISCOVER,
      returns: ret.dict('`fullpath` and `custom_inventory` by directory and playbook'),
      run: discover,
    }),
  },
})
