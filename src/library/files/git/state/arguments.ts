// The arguments of the states of git, in Salt's order.
import { arg, type Bound, optionalText } from '../../../../sdk/mod.ts'

const name = arg.string('URL of the repository')
const target = arg.text('Path of the checkout')
const flag = (doc: string, otherwise = false) => arg.boolean(doc, { default: otherwise })
const secret = (doc: string) => arg.text(doc, { optional: true, secret: true })
const user = optionalText('User that git runs as')
const password = secret('Password of the user, for Windows')
const access = {
  identity: arg.textOrList('Path or `salt://` URL of a private key, or a list of them', { optional: true }),
  https_user: optionalText('User name for HTTPS'),
  https_pass: secret('Password for HTTPS'),
}
const output_encoding = optionalText("Encoding of git's output")
const remote = arg.text('Name of the remote', { default: 'origin' })
const kwargs = arg.open('Further keywords are refused')
const setting = {
  repo: optionalText('Path of the checkout; required unless `global` is True'),
  user,
  password,
  output_encoding,
}

export const latestArgs = {
  name,
  target,
  rev: arg.any('Branch, tag or commit of the remote; another type than text is read as text', { default: 'HEAD' }),
  branch: optionalText('Local branch'),
  user,
  password,
  update_head: flag('Update the checkout itself', true),
  force_checkout: flag('Discard local changes when the branch changes'),
  force_clone: flag('Remove the contents of a directory that is not a repository'),
  force_fetch: flag('Fetch even if references cannot be fast-forwarded'),
  force_reset: arg.any('Reset the checkout if it cannot be fast-forwarded: True, False or `remote-changes`', {
    default: false,
  }),
  submodules: flag('Update submodules'),
  bare: flag('Clone without a working tree'),
  mirror: flag('Clone a bare repository that mirrors all references'),
  remote,
  fetch_tags: flag('Fetch tags', true),
  sync_tags: flag('Remove tags that the remote does not have', true),
  depth: optionalText('Number of commits to fetch when cloning; by default all'),
  ...access,
  refspec_branch: arg.text('Branches to fetch', { default: '*' }),
  refspec_tag: arg.text('Tags to fetch', { default: '*' }),
  output_encoding,
  kwargs,
}

export const presentArgs = {
  name: arg.string('Path of the repository'),
  force: flag('Remove the contents of a directory that is not a repository'),
  bare: flag('Create a repository without a working tree', true),
  template: optionalText('Directory of templates'),
  separate_git_dir: optionalText('Path of the repository itself'),
  shared: arg.any('Sharing: a value of `--shared` as text or boolean, or a mode as a number', { optional: true }),
  user,
  password,
  output_encoding,
}

export const detachedArgs = {
  name,
  rev: arg.any('Branch, tag or commit; another type than text is read as text'),
  target,
  remote,
  user,
  password,
  force_clone: flag('Remove the contents of a directory that is not a repository'),
  force_checkout: flag('Discard local changes'),
  fetch_remote: arg.flag('Fetch from the remote', { default: true }),
  hard_reset: flag('Reset the checkout before the revision is checked out'),
  submodules: flag('Update submodules'),
  ...access,
  output_encoding,
  kwargs,
}

export const clonedArgs = {
  name,
  target: arg.any('Path of the checkout; None is refused'),
  branch: optionalText('Branch'),
  user,
  password,
  ...access,
  output_encoding,
}

export const configUnsetArgs = {
  name: arg.string('Name of the setting, or a regular expression'),
  value_regex: optionalText('Regular expression that the values must match'),
  ...setting,
  kwargs: arg.open('`global`: change the settings of the user; `all`: remove all values'),
}

export const configSetArgs = {
  name: arg.string('Name of the setting'),
  value: arg.any('The value; another type than text is written as text', { optional: true }),
  multivar: arg.textOrList('Several values: a list, or text with commas', { optional: true }),
  ...setting,
  kwargs: arg.open('`global`: change the settings of the user'),
}

export type LatestOptions = Bound<typeof latestArgs>
export type PresentOptions = Bound<typeof presentArgs>
export type DetachedOptions = Bound<typeof detachedArgs>
export type ClonedOptions = Bound<typeof clonedArgs>
export type ConfigUnsetOptions = Bound<typeof configUnsetArgs>
export type ConfigSetOptions = Bound<typeof configSetArgs>
