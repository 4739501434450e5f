// Section 7: what Brine is, which programs there are, and where the rest is described.
import { ABSENT_PROGRAMS, BRINE_COMMANDS, type Program } from '../../src/cli/mod.ts'
import { bold, entry, example, italic, page, prose, roff, type Source, section, seeAlso } from './roff.ts'

export function overviewPage(programs: readonly Program[], source: Source): string {
  const here = programs.filter(({ name }) => !Object.hasOwn(ABSENT_PROGRAMS, name))
  return page(
    { name: 'brine', section: 7, meaning: 'remote execution and configuration management, as Salt does it' },
    source,
    [
      section('Description'),
      'Brine is Salt rebuilt in TypeScript. Commands, configuration files, state trees, formulas, custom modules, keys and the wire',
      'protocol are those of Salt, so that masters, minions and habits carry over.',
      '.PP',
      'A master publishes jobs to minions, which run functions and return what these return. States describe what a machine should',
      'be like; a minion compares them with the machine and changes what differs.',
      section('Programs'),
      ...here.map(({ name, description = '' }) => entry(`.BR ${roff(name)} (1)`, prose(description))),
      entry(
        '.BR brine (1)',
        `Commands beyond those of Salt: ${BRINE_COMMANDS.map(({ name }) => roff(name)).join(', ')}.`,
      ),
      section('Examples'),
      'Call a function on this machine without a master:',
      '.PP',
      example(['salt-call --local test.ping']),
      '.PP',
      'Accept the key of a minion, ask all minions, and see what the states would change:',
      '.PP',
      example(['salt-key -a web1.example.com', "salt '*' test.ping", "salt 'web*' state.apply test=True"]),
      '.PP',
      'Read what a function does and which arguments it has:',
      '.PP',
      example(['salt-call --local sys.doc pkg.install']),
      section('Files'),
      entry(italic('/etc/salt'), 'The configuration of masters and minions.'),
      entry(italic('/etc/salt/pki'), 'The keys of masters and minions.'),
      entry(italic('/srv/salt'), 'The state tree of a master, unless file_roots names another.'),
      entry(italic('/srv/pillar'), 'The pillar of a master, unless pillar_roots names another.'),
      entry(italic('/var/cache/salt'), 'Jobs, cached files and data about minions.'),
      entry(italic('/var/log/salt'), 'Log files.'),
      section('Missing programs'),
      ...Object.entries(ABSENT_PROGRAMS).map(([name, text]) => entry(bold(name), prose(text))),
      seeAlso([...here.map(({ name }) => [name, 1] as const), ['salt-master', 5], ['salt-minion', 5]]),
    ],
  )
}
