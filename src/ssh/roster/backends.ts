// All rosters of Salt by name.
import { lookup } from '../../base/mod.ts'
import { ansible } from './ansible/ansible.ts'
import type { Backend } from './backend.ts'
import { cache } from './cache.ts'
import { cloud } from './cloud.ts'
import { clustershell, range } from './expressions.ts'
import { dir, flat } from './flat.ts'
import { sshknownhosts } from './known-hosts.ts'
import { scan } from './scan.ts'
import { sshconfig } from './ssh-config.ts'
import { terraform } from './terraform.ts'

export const BACKENDS: Readonly<Record<string, Backend>> = lookup<Backend>({
  ansible,
  cache,
  cloud,
  clustershell,
  dir,
  flat,
  range,
  scan,
  sshconfig,
  sshknownhosts,
  terraform,
})
