// Ansible from Salt: its modules, its playbooks and what it knows of hosts. Every module is reached by `ansible.call`.
import {
  type Dict,
  decodeBytes,
  dumpJson,
  fnmatchFilter,
  isDict,
  loadJson,
  shlexQuote,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads } from '../../../sdk/mod.ts'
import { callModule, QUIET } from './module/call.ts'
import { failure, folderFault, inventoryTargets, playbooksIn } from './module/inventory.ts'

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

/** Modules by their full name and by what is left of it without `ansible.` and `ansible.builtin.`. */
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

const SWITCHES = ['list_hosts', 'list_tags', 'list_tasks'] as const
const VALUES = ['module_path', 'skip_tags', 'start_at_task'] as const

function playbookWords(given: Readonly<Record<string, Value>>): string[] {
  const option = (name: string): string => `--${name.replaceAll('_', '-')}`
  const isGiven = (name: string): boolean => truthy(given[name] ?? null)
  const flag = (name: string): string[] => (isGiven(name) ? [option(name)] : [])
  const value = (name: string): string[] => (isGiven(name) ? [`${option(name)}=${str(given[name]!)}`] : [])
  const variables = given['extra_vars'] ?? null
  const file = textOf(variables)?.startsWith('@') ? str(variables) : undefined
  const extra = isDict(variables) ? dumpJson(variables) : file
  return [
    ...flag('check'),
    ...flag('diff'),
    ...(extra === undefined ? [] : [`--extra-vars=${shlexQuote(extra)}`]),
    ...flag('flush_cache'),
    ...value('inventory'),
    ...value('limit'),
    ...SWITCHES.flatMap(flag),
    ...VALUES.flatMap(value),
    ...flag('syntax_check'),
    ...value('tags'),
    ...further(given['playbook_kwargs'] ?? null),
    `--forks=${str(given['forks']!)}`,
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

async function playbooks(ctx: FunctionContext, given: Readonly<Record<string, Value>>): Promise<Value> {
  const answer = await ctx.call('cmd.run_all', [], {
    env: new Map([['ANSIBLE_STDOUT_CALLBACK', 'json'], ['ANSIBLE_RETRY_FILES_ENABLED', '0'], ...QUIET]),
    cwd: given['rundir']!,
    cmd: ['ansible-playbook', str(given['playbook']!), ...playbookWords(given)].join(' '),
    reset_system_locale: false,
  })
  const told = playbookReport(answer)
  const retcode = answer.get('retcode')
  if (retcode === undefined) return told
  ctx.memory.set('retcode', retcode)
  return told.set('retcode', retcode)
}

/** What the playbook tells, or how the program ended if it tells nothing. */
function playbookReport(answer: Dict): Dict {
  try {
    const told = loadJson(str(answer.get('stdout') ?? ''))
    return isDict(told) ? told : answer
  } catch {
    return answer
  }
}

async function discover(
  ctx: FunctionContext,
  given: Record<'path' | 'locations' | 'extension' | 'hosts' | 'check', Value>,
) {
  const { path, locations } = given
  if (!truthy(path) && !truthy(locations)) throw failure("You have to specify either 'path' or 'locations' arguments")
  if (truthy(path) && truthy(locations)) throw failure("You cannot specify 'path' and 'locations' at the same time")
  const wish = {
    extensions: truthy(given.extension) ? given.extension : ['.yml', '.yaml'],
    hosts: truthy(given.hosts) ? given.hosts : 'hosts',
    check: truthy(given.check),
  }
  const fault = truthy(path) ? await folderFault(ctx, str(path)) : undefined
  if (fault !== undefined) throw failure(fault)
  const found: Dict = new Map()
  for (const folder of truthy(path) ? [path] : (locations as Value[])) {
    found.set(folder, (await playbooksIn(ctx, str(folder), wish)) as unknown as Value)
  }
  return found
}

const no = (doc: string) => arg.any(doc, { default: false })
const optional = (doc: string) => arg.any(doc, { optional: true })

export default defineModule({
  name: 'ansiblegate',
  virtual: 'ansible',
  doc: 'Use Ansible: its modules, playbooks and inventories.',
  when: async ({ host }) => {
    for (const program of PROGRAMS) {
      if ((await host.which(program)) === undefined) return `The '${program}' binary was not found.`
    }
    return true
  },
  functions: {
    help: reads({
      doc: 'The manual of a module of Ansible.',
      example: 'ansible.help ping',
      args: { module: arg.text('The module', { optional: true }), args: arg.rest('Sections of it') },
      run: (ctx, { module, args }) => help(ctx, module, args),
    }),
    list: {
      ...reads({
        doc: 'The modules that Ansible has.',
        example: "ansible.list '*win*'",
        args: { pattern: arg.text('A glob for the names', { optional: true }) },
        run: async (ctx, { pattern }) => {
          const names = await moduleNames(ctx)
          return pattern === null ? names : fnmatchFilter(names, pattern)
        },
      }),
      calledAs: 'list_',
    },
    call: changes({
      doc: 'Call a module of Ansible on this machine.',
      example: 'ansible.call ping data=foobar',
      args: { module: arg.string('The module'), args: arg.rest('Its arguments'), kwargs: arg.open('By name') },
      run: (ctx, { module, args, kwargs }) => callModule(ctx, module, args, kwargs),
    }),
    playbooks: changes({
      doc: 'Run a playbook.',
      example: 'ansible.playbooks playbook=/srv/playbooks/play.yml',
      args: {
        playbook: arg.any('The playbook'),
        rundir: optional('The folder to run it in'),
        check: no('Predict only'),
        diff: no('Show what differs'),
        extra_vars: optional('Variables: a dict, or the name of a file after @'),
        flush_cache: no('Forget facts about hosts'),
        forks: arg.any('How many hosts at a time', { default: 5 }),
        inventory: optional('The inventory, or hosts with commas'),
        limit: optional('Only these hosts'),
        list_hosts: no('Only name the hosts'),
        list_tags: no('Only name the tags'),
        list_tasks: no('Only name the tasks'),
        module_path: optional('Where further modules are'),
        skip_tags: optional('Leave out what has these tags'),
        start_at_task: optional('Begin with this task'),
        syntax_check: no('Only look at the syntax'),
        tags: optional('Only what has these tags'),
        playbook_kwargs: optional('Further options of ansible-playbook'),
      },
      run: async (ctx, given) => {
        if ((await ctx.host.which('ansible-playbook')) === undefined) {
          throw failure("The 'ansible-playbook' binary was not found in $PATH.")
        }
        return playbooks(ctx, given)
      },
    }),
    targets: reads({
      doc: 'The hosts of an inventory.',
      example: 'ansible.targets inventory=my_custom_inventory',
      args: {
        inventory: optional('The inventory; /etc/ansible/hosts when not given'),
        inventories: optional('Several of them'),
        yaml: arg.flag('As YAML', { default: false }),
        export: arg.flag('As ansible-inventory exports it', { default: false }),
      },
      run: inventoryTargets,
    }),
    discover_playbooks: reads({
      doc: 'The playbooks in folders, and in the folders right below them.',
      example: 'ansible.discover_playbooks path=/srv/playbooks/',
      args: {
        path: optional('The folder'),
        locations: optional('Several folders'),
        playbook_extension: optional('How playbooks end; .yml and .yaml when not given'),
        hosts_filename: optional('The name of an inventory beside them; hosts when not given'),
        syntax_check: arg.flag('Leave out those that Ansible cannot read', { default: false }),
      },
      run: (ctx, { path, locations, playbook_extension, hosts_filename, syntax_check }) =>
        discover(ctx, {
          path,
          locations,
          extension: playbook_extension,
          hosts: hosts_filename,
          check: syntax_check,
        }),
    }),
  },
})
