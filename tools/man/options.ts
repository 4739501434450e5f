// Section 5: the configuration of masters and minions, from the tables of options.
import { FUNCTION_OPTIONS, isFor, type Option, type OptionTable, type Role, THEMES } from '../../src/config/mod.ts'
import { defaultText, effectText, typeText } from '../options-manual.ts'
import { bold, entry, example, italic, page, prose, roff, type Source, section, seeAlso } from './roff.ts'

export function optionsPage(role: Role, source: Source): string {
  const all = [...THEMES, ['Options that only functions look up', FUNCTION_OPTIONS] as const]
  const other = role === 'master' ? 'minion' : 'master'
  return page({ name: `salt-${role}`, section: 5, meaning: `configuration of a Salt ${role}` }, source, [
    section('Description'),
    roff(
      `The programs read /etc/salt/${role}, then /etc/salt/${role}.d/*.conf in the order of their names, then the files that the option include names.`,
    ),
    'A later file wins, and the command line wins over all files. The files are YAML. Relative paths are below root_dir.',
    '.PP',
    'An option has an effect unless its text says otherwise. "Not yet" names the part of Salt that the option belongs to and that',
    'Brine does not have. "Needless" gives the reason why nothing has to be set.',
    ...all.flatMap(([title, table]) => themeText(title, table, role)),
    section('Examples'),
    role === 'master'
      ? example(['# /etc/salt/master.d/roots.conf', 'file_roots:', '  base:', '    - /srv/salt'])
      : example(['# /etc/salt/minion.d/master.conf', 'master: salt.example.com', 'id: web1.example.com']),
    section('Files'),
    entry(italic(`/etc/salt/${role}`), 'The configuration.'),
    entry(italic(`/etc/salt/${role}.d/*.conf`), 'Further files, read after it.'),
    seeAlso([
      [`salt-${role}`, 1],
      [`salt-${other}`, 5],
      ['brine', 7],
    ]),
  ])
}

function themeText(title: string, table: OptionTable, role: Role): string[] {
  const options = Object.entries(table).filter(([, option]) => isFor(option, role))
  return options.length === 0
    ? []
    : [section(title), ...options.map(([name, option]) => optionText(name, option, role))]
}

function optionText(name: string, option: Option, role: Role): string {
  const type = typeText(option)
  const usual = defaultText(option, role)
  const facts = [type && `Type: ${type}.`, usual && `Default: \`${usual.replaceAll('`', "'")}\`.`]
    .filter(Boolean)
    .join(' ')
  const doc = option.doc.replace(/\.$/, '') + effectText(option).replaceAll('**', '')
  return entry(bold(name), [`${prose(doc)}.`, prose(facts)].filter((line) => line !== '').join('\n'))
}
