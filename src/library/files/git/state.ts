// Checkouts of git repositories, and settings of git.
import type { Value } from '../../../data/mod.ts'
import { type Arg, arg, defineState, state } from '../../../sdk/mod.ts'
import { cloned } from './state/cloned.ts'
import { detached } from './state/detached.ts'
import { latest } from './state/latest.ts'
import { present } from './state/present.ts'
import { configSet, configUnset } from './state/settings.ts'

const name = arg.string('The URL of the repository')
const target = arg.any('The folder of the checkout')
const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
const flag = (doc: string, otherwise = false) => arg.boolean(doc, { default: otherwise })
const user = optional('Whom git runs as')
const password = arg.any('Of the user; for Windows', { optional: true, secret: true })
const access = {
  identity: optional('A private key, or several'),
  https_user: optional('For HTTPS'),
  https_pass: arg.any('For HTTPS', { optional: true, secret: true }),
}
const output_encoding = optional('How git writes')
const remote = arg.any('The name of the remote', { default: 'origin' })
const kwargs = arg.open('Nothing')
const setting = {
  repo: optional('The checkout; needed unless `global` is true'),
  user,
  password,
  output_encoding,
}

export default defineState({
  name: 'git',
  doc: 'Keep checkouts of git repositories.',
  functions: {
    latest: state({
      doc: 'A checkout is at the newest commit of a revision of its remote.',
      args: {
        name,
        target,
        rev: arg.any('A branch, a tag or a commit of the remote', { default: 'HEAD' }),
        branch: optional('The local branch'),
        user,
        password,
        update_head: flag('Whether the checkout itself is updated', true),
        force_checkout: flag('Throw away changes when the branch is changed'),
        force_clone: flag('Empty a folder that is in the way'),
        force_fetch: flag('Fetch although refs cannot go forward'),
        force_reset: arg.any('Reset when going forward is impossible: true, false or `remote-changes`', {
          default: false,
        }),
        submodules: flag('Update submodules'),
        bare: flag('Without a checkout'),
        mirror: flag('A bare repository that follows all refs'),
        remote,
        fetch_tags: flag('Fetch tags', true),
        sync_tags: flag('Remove tags that the remote does not have', true),
        depth: optional('How many commits to fetch when cloning'),
        ...access,
        refspec_branch: arg.any('Which branches are fetched', { default: '*' }),
        refspec_tag: arg.any('Which tags are fetched', { default: '*' }),
        output_encoding,
        kwargs,
      },
      run: latest,
    }),
    present: state({
      doc: 'A repository exists.',
      args: {
        name: arg.string('Its path'),
        force: flag('Remove what is in the way'),
        bare: flag('Without a checkout', true),
        template: arg.text('A folder of templates', { optional: true }),
        separate_git_dir: arg.text('Where the repository is', { optional: true }),
        shared: optional('Who may use it'),
        user,
        password,
        output_encoding,
      },
      run: present,
    }),
    detached: state({
      doc: 'A certain revision is checked out, on no branch.',
      args: {
        name,
        rev: arg.any('The revision'),
        target,
        remote,
        user,
        password,
        force_clone: flag('Empty a folder that is in the way'),
        force_checkout: flag('Throw away changes'),
        fetch_remote: arg.flag('Whether the remote is fetched', { default: true }),
        hard_reset: flag('Reset before checking out'),
        submodules: flag('Update submodules'),
        ...access,
        output_encoding,
        kwargs,
      },
      run: detached,
    }),
    cloned: state({
      doc: 'A repository is cloned; it is not updated.',
      args: { name, target, branch: optional('The branch'), user, password, ...access, output_encoding },
      run: cloned,
    }),
    config_unset: state({
      doc: 'A setting is not there.',
      args: {
        name: arg.string('The setting, or a regular expression'),
        value_regex: optional('Only values that match'),
        ...setting,
        kwargs: arg.open('`global`, `all`'),
      },
      run: configUnset,
    }),
    config_set: state({
      doc: 'A setting has a value, or several.',
      args: {
        name: arg.string('The setting'),
        value: optional('Its value'),
        multivar: optional('Its values'),
        ...setting,
        kwargs: arg.open('`global`'),
      },
      run: configSet,
    }),
  },
})
