// Execution modules and states of Salt 3008.2 that Brine does not have, with the reason. Calls of them fail with it, and
// docs/reference/absent.md has the same table (tools/absent-page.ts writes it).

export interface AbsentPlugins {
  /** Names of Salt's files; after `=` the name that users call, if it differs. */
  names: string
  /** A sentence about one of them, without a full stop. */
  reason: string
  /** The page below docs/ that says more. */
  page?: string
}

const onlyFor = (system: string): string => `it is for ${system}, and minions run on Linux`

const DEVICES = 'it is for network devices and needs Python libraries of their vendors'

/** Clients by a Python library. Salt's own module serves if the minion's Python has the library and a Salt. */
const byDriver = (names: string, driver: string): AbsentPlugins => ({
  names,
  reason: `it needs the Python library ${driver}; install the library and Salt for the Python that Brine uses, and set \`python_upstream_modules: True\``,
  page: 'extensions.md#a-real-salt-behind-brine',
})

export const ABSENT_MODULES: readonly AbsentPlugins[] = [
  {
    names: `
      win_appx=appx win_auditpol=auditpol win_autoruns=autoruns win_certutil=certutil win_dacl
      win_disk=disk win_dism=dism win_dns_client win_dsc=dsc win_dsc_resource=dsc_resource win_event
      win_file=file win_firewall=firewall win_groupadd=group win_iis win_ip=ip win_lgpo=lgpo
      win_lgpo_reg=lgpo_reg win_license=license win_network=network win_path win_pkg=pkg win_pki
      win_powercfg=powercfg win_psget=psget win_servermanager win_shadow=shadow win_shortcut=shortcut
      win_smtp_server win_snmp win_status=status win_system=system win_task=task win_timezone=timezone
      win_useradd=user win_wua win_wusa=wusa rdp winrepo
    `,
    reason: onlyFor('Windows'),
  },
  {
    names: `
      mac_assistive=assistive mac_desktop=desktop mac_group=group mac_keychain=keychain
      mac_pkgutil=pkgutil mac_portspkg=pkg mac_power=power mac_shadow=shadow
      mac_softwareupdate=softwareupdate mac_sysctl=sysctl mac_system=system mac_timezone=timezone
      mac_user=user mac_xattr=xattr macdefaults
    `,
    reason: onlyFor('macOS'),
  },
  {
    names: `
      aix_group=group aix_shadow=shadow aixpkg=pkg at_solaris=at pkgin=pkg pkgutil rbac_solaris=rbac
      smf_service=service solaris_fmadm=fmadm solaris_group=group solaris_shadow=shadow
      solaris_system=system solaris_user=user solarisipspkg=pkg solarispkg=pkg zoneadm zonecfg
    `,
    reason: onlyFor('AIX, Solaris or NetBSD'),
  },
  {
    names: `
      arista_pyeapi=pyeapi iosconfig junos napalm_bgp=bgp napalm_formula napalm_mod=napalm
      napalm_netacl=netacl napalm_network=net napalm_ntp=ntp napalm_probes=probes napalm_route=route
      napalm_snmp=snmp napalm_users=users napalm_yang_mod=napalm_yang nxos nxos_api nxos_upgrade=nxos
      textfsm_mod=textfsm
    `,
    reason: DEVICES,
  },
  {
    names: 'rest_pkg=pkg rest_sample_utils rest_service=service ssh_pkg=pkg ssh_service=service',
    reason: 'it is for the proxy modules `rest_sample` and `ssh_sample`, which Salt 3008 does not have',
  },
  {
    names: 'salt_proxy',
    reason: 'it starts `salt-proxy`; use the systemd unit',
    page: 'proxy.md#files-and-options',
  },
  { names: 'proxy', reason: onlyFor('macOS and Windows') },
  {
    names: 'saltcloudmod=saltcloud vsphere',
    reason: 'it is for old versions of salt-cloud',
  },
  byDriver('cassandra_cql', 'cassandra-driver'),
  byDriver('celery', 'celery'),
  byDriver('oracle', 'cx_Oracle'),
  byDriver('zk_concurrency', 'kazoo'),
  {
    names: 'idem',
    reason: 'the program idem is no longer maintained',
  },
  {
    names: 'chronos',
    reason: 'the scheduler Chronos of Mesos is no longer maintained',
  },
  {
    names: 'test_virtual',
    reason: "it belongs to Salt's own tests and never loads",
  },
]

export const ABSENT_STATES: readonly AbsentPlugins[] = [
  {
    names: `
      win_appx=appx win_certutil=certutil win_dacl win_dism=dism win_dns_client
      win_dsc_resource=dsc_resource win_firewall win_iis win_lgpo=lgpo win_lgpo_reg=lgpo_reg
      win_license=license win_network=network win_path win_pki win_powercfg=powercfg win_servermanager
      win_shortcut=shortcut win_smtp_server win_snmp win_system=system win_task=task win_wua=wua
      win_wusa=wusa winrepo
    `,
    reason: onlyFor('Windows'),
  },
  { names: 'mac_assistive=assistive mac_keychain=keychain mac_xattr=xattr macdefaults', reason: onlyFor('macOS') },
  { names: 'pkgng', reason: onlyFor('FreeBSD') },
  { names: 'netacl netconfig netntp netsnmp netusers', reason: DEVICES },
  {
    names: 'salt_proxy',
    reason: 'it starts `salt-proxy`; use the systemd unit',
    page: 'proxy.md#files-and-options',
  },
  { names: 'proxy', reason: onlyFor('macOS and Windows') },
  {
    names: 'idem',
    reason: 'the program idem is no longer maintained',
  },
  {
    names: 'makeconf uptime',
    reason: 'Salt 3008.2 has no execution module for it, so it never loads',
  },
]

/** Return the names of a group: of Salt's file, and of calls. */
export function namesOf({ names }: AbsentPlugins): Array<{ file: string; called: string }> {
  const words = names.trim().split(/\s+/)
  return words.map((word) => {
    const [file, called = file] = word.split('=') as [string, string?]
    return { file, called }
  })
}

const reasons = { module: ABSENT_MODULES, state: ABSENT_STATES }

/** Return why Brine does not have a module or state of Salt; undefined if Salt has none of that name. */
export function absence(kind: keyof typeof reasons, name: string): string | undefined {
  const found = reasons[kind].find((group) =>
    namesOf(group).some(({ file, called }) => name === file || name === called),
  )
  if (!found) return undefined
  const see = found.page === undefined ? '' : ` (docs/${found.page.replace(/#.*/, '')})`
  return `Brine does not include this module: ${found.reason.replaceAll('`', '')}${see}`
}
