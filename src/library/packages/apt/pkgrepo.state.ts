// Package sources: entries of apt, repositories of dnf and zypper.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { absent } from './pkgrepo/absent.ts'
import { managed } from './pkgrepo/managed.ts'

const name = arg.string('The source: a line of sources.list, or the name of a repository')

export default defineState({
  name: 'pkgrepo',
  doc: 'Keep package sources configured.',
  functions: {
    managed: state({
      doc: 'A package source is configured.',
      args: {
        name,
        ppa: arg.text('A personal archive on Launchpad: `owner/name`', { optional: true }),
        copr: arg.text('A repository of Copr: `owner/name`', { optional: true }),
        aptkey: arg.flag('Whether apt-key is used, where there is one', { default: true }),
        kwargs: arg.open('`file`, `comps`, `key_url`, `keyid`, `humanname`, `baseurl`, `gpgkey`, `enabled` …'),
      },
      run: managed,
    }),
    absent: state({
      doc: 'A package source is not configured.',
      args: { name, kwargs: arg.open('`ppa`, `copr`, `keyid`, `keyid_ppa`') },
      run: (ctx, { name, kwargs }) => absent(ctx, name, kwargs),
    }),
  },
})
