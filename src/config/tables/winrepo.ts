// Package definitions for Windows.

import { later, type OptionTable } from '../option.ts'
import { GIT_PROVIDER, GIT_REFSPECS } from './git-remotes.ts'

export const WINREPO = {
  winrepo_dir: { type: 'str', both: '/srv/salt/win/repo', old: ['win_repo'], doc: 'Directory of the definitions' },
  winrepo_dir_ng: { type: 'str', both: '/srv/salt/win/repo-ng', doc: 'Directory of the definitions for newer minions' },
  winrepo_cachefile: {
    type: 'str',
    both: 'winrepo.p',
    old: ['win_repo_mastercachefile'],
    doc: 'File that the definitions are compiled to',
  },
  winrepo_remotes: {
    type: 'list',
    both: ['https://github.com/saltstack/salt-winrepo.git'],
    old: ['win_gitrepos'],
    doc: 'Repositories of definitions',
  },
  winrepo_remotes_ng: {
    type: 'list',
    both: ['https://github.com/saltstack/salt-winrepo-ng.git'],
    doc: 'Repositories of definitions for newer minions',
  },
  winrepo_branch: { both: 'master', doc: 'Branch of the repositories' },
  winrepo_fallback: { both: '', doc: 'Branch used when that one is missing' },
  winrepo_ssl_verify: { type: 'bool', both: true, doc: 'Check the certificates of HTTPS servers' },
  winrepo_proxy: { type: 'str', both: '', doc: 'Proxy for fetching' },
  winrepo_user: { type: 'str', both: '', doc: 'User for HTTPS' },
  winrepo_password: { type: 'str', both: '', doc: 'Password for HTTPS' },
  winrepo_insecure_auth: { type: 'bool', both: false, doc: 'Allow a password over plain HTTP' },
  winrepo_privkey: { type: 'str', both: '', doc: 'Private key for SSH' },
  winrepo_pubkey: { type: 'str', both: '', doc: 'Public key for SSH' },
  winrepo_passphrase: { type: 'str', both: '', doc: 'Passphrase of the private key' },
  winrepo_refspecs: GIT_REFSPECS,
  winrepo_depth: { both: 1, doc: 'How many commits are fetched; 0 for all', needless: 'Mirrors have all commits' },
  winrepo_provider: GIT_PROVIDER,
  ...later('packages of Windows minions', {
    winrepo_source_dir: { type: 'str', minion: 'salt://win/repo-ng/', doc: 'Where minions take the definitions from' },
    winrepo_cache_expire_min: { type: 'int', minion: 1800, doc: 'Seconds before definitions are looked at again' },
    winrepo_cache_expire_max: { type: 'int', minion: 604800, doc: 'Seconds after which definitions are fetched again' },
  }),
} satisfies OptionTable
