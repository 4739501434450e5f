// Repositories of apt, dnf and zypper.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { absent } from './pkgrepo/absent.ts'
import { managed } from './pkgrepo/managed.ts'

const name = arg.string('Line of sources.list, or name of a repository')

export default defineState({
  name: 'pkgrepo',
  doc: 'Manage package repositories.',
  functions: {
    managed: state({
      doc: 'Ensure that a repository is configured.',
      args: {
        name,
        ppa: arg.text('Personal archive on Launchpad: `owner/name`', { optional: true }),
        copr: arg.text('Repository of Copr: `owner/name`', { optional: true }),
        aptkey: arg.flag('Use apt-key if it is installed', { default: true }),
        kwargs: arg.open('`file`, `comps`, `key_url`, `keyid`, `humanname`, `baseurl`, `gpgkey`, `enabled` …'),
      },
      run: managed,
    }),
    absent: state({
      doc: 'Ensure that a repository is not configured.',
      args: { name, kwargs: arg.open('`ppa`, `copr`, `keyid`, `keyid_ppa`') },
      run: (ctx, { name, kwargs }) => absent(ctx, name, kwargs),
    }),
  },
})
