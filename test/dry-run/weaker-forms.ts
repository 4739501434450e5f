// The forms in which Salt's states predict changes inexactly, by state function. All other predictions must be exact.
import type { Json } from '../conformance/area.ts'
import { differences } from '../conformance/minion/difference.ts'

export type Changes = Record<string, Json>

/** Whether these words are a fair forecast of these changes. */
type Form = (said: Changes, made: Changes) => boolean

const isChanges = (json: Json | undefined): json is Changes =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

const same: Form = (said, made) => differences(made, said).length === 0

/** The state says that there will be changes, but not which. */
const nothing: Form = (said) => Object.keys(said).length === 0

/** All that is said comes, and more. */
const part: Form = (said, made) =>
  !nothing(said, made) &&
  Object.entries(said).every(([key, value]) => key in made && same({ value }, { value: made[key]! }))

/** A file to be made is called new; afterwards its difference is shown, and its mode where the source gave one. */
const newFile: Form = (said, made) =>
  Object.keys(said).join() === 'newfile' &&
  (made['diff'] === 'New file' || made['new'] === `file ${said['newfile']} created`)

/** A file to be edited or made is named only; afterwards its difference is shown. */
const named: Form = (said, made) => {
  const [key] = Object.keys(said)
  return Object.keys(made).join() === 'diff' && (key === 'new' || said[key!] === 'updated')
}

/** File by file; the topmost folder is predicted, but its creation is not reported. */
const tree: Form = (said, made) =>
  Object.entries(said).every(([path, words]) => {
    const came = made[path]
    if (!isChanges(words)) return same({ words }, { words: came ?? null })
    if (!isChanges(came)) return isChanges(words[path]) && words[path]['directory'] === 'new'
    return same(words, came) || newFile(words, came)
  }) && Object.keys(made).every((path) => path in said)

/** The entry in the way is removed: "would be" becomes "was". */
const wouldBe: Form = (said, made) => same(JSON.parse(JSON.stringify(said).replaceAll(' would be ', ' was ')), made)

/** The command, not its output. */
const command: Form = (said, made) => Object.keys(said).join() === 'cmd' && 'retcode' in made

/** The top of the deleted tree, not all entries below it. */
const topmost: Form = (said, made) => Array.isArray(made['deleted']) && made['deleted'].includes(said['deleted']!)

/** The link to change is created again. */
const changedLink: Form = (said, made) => said['change'] !== undefined && said['change'] === made['new']

/** The values without the name they belong to. */
const unnamed: Form = (said, made) => Object.values(made).some((values) => isChanges(values) && same(said, values))

/** The grain that is to be made, not its value. */
const newGrain: Form = (said, made) =>
  typeof said['new'] === 'string' && Object.keys(made).join() === said['new'].split(':')[0]

/** The new value is named as a change of the grain. */
const changedGrain: Form = (said, made) => isChanges(said['changed']) && same(said['changed'], made)

/** The list as it is before the new values are added. */
const listBefore: Form = (said, made) => {
  const [before, after] = [said['new'], isChanges(made['new']) ? Object.values(made['new'])[0] : undefined]
  return Array.isArray(before) && Array.isArray(after) && same({ before }, { before: after.slice(0, before.length) })
}

const forms: Readonly<Record<string, readonly Form[]>> = {
  'archive.extracted': [nothing],
  'cmd.run': [command],
  'cmd.script': [nothing],
  'file.append': [named],
  'file.cached': [nothing],
  'file.comment': [named],
  'file.copy': [nothing],
  'file.decode': [nothing],
  'file.directory': [part, wouldBe],
  'file.hardlink': [nothing],
  'file.managed': [newFile],
  'file.mknod': [nothing],
  'file.pruned': [topmost],
  'file.recurse': [tree],
  'file.rename': [nothing],
  'file.serialize': [newFile],
  'file.symlink': [nothing, changedLink],
  'file.uncomment': [named],
  'git.config_set': [unnamed],
  'git.latest': [part],
  'grains.list_present': [listBefore],
  'grains.present': [newGrain, changedGrain],
  'host.absent': [nothing],
  'host.only': [nothing],
  'ini.options_absent': [nothing],
  'ini.options_present': [nothing],
  'ini.sections_absent': [nothing],
  'module.run': [nothing],
}

export function isFairForecast(fun: string, said: Changes, made: Changes): boolean {
  return same(said, made) || (forms[fun] ?? []).some((form) => form(said, made))
}
