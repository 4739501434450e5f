// Salt's names of operating systems, and their families.
import { isAscii } from '../data/mod.ts'

/** By the first ten characters of the full name, in lower case and without blanks. */
const OS_NAMES: ReadonlyMap<string, string> = new Map([
  ['redhatente', 'RedHat'],
  ['gentoobase', 'Gentoo'],
  ['archarm', 'Arch ARM'],
  ['arch', 'Arch'],
  ['debian', 'Debian'],
  ['raspbian', 'Raspbian'],
  ['fedoraremi', 'Fedora'],
  ['chapeau', 'Chapeau'],
  ['korora', 'Korora'],
  ['amazonami', 'Amazon'],
  ['alt', 'ALT'],
  ['enterprise', 'OEL'],
  ['oracleserv', 'OEL'],
  ['cloudserve', 'CloudLinux'],
  ['cloudlinux', 'CloudLinux'],
  ['virtuozzo', 'Virtuozzo'],
  ['almalinux', 'AlmaLinux'],
  ['almalinuxk', 'AlmaLinux'],
  ['pidora', 'Fedora'],
  ['scientific', 'ScientificLinux'],
  ['synology', 'Synology'],
  ['nilrt', 'NILinuxRT'],
  ['poky', 'Poky'],
  ['manjaro', 'Manjaro'],
  ['manjarolin', 'Manjaro'],
  ['univention', 'Univention'],
  ['antergos', 'Antergos'],
  ['sles', 'SUSE'],
  ['void', 'Void'],
  ['slesexpand', 'RES'],
  ['linuxmint', 'Mint'],
  ['neon', 'KDE neon'],
  ['pop', 'Pop'],
  ['rocky', 'Rocky'],
  ['alibabaclo', 'Alinux'],
  ['mendel', 'Mendel'],
  ['photon', 'VMware Photon OS'],
])

/** By `ID` and `NAME` of os-release. */
const NAMES_BY_ID: ReadonlyMap<string, string> = new Map([
  ['astra/Astra Linux (Orel)', 'AstraLinuxCE'],
  ['astra/Astra Linux (Smolensk)', 'AstraLinuxSE'],
  ['pop/Pop!_OS', 'Pop'],
])

const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  Debian: [
    'Ubuntu',
    'Mint',
    'Trisquel',
    'GCEL',
    'Linaro',
    'elementary OS',
    'elementary',
    'Univention',
    'Raspbian',
    'Devuan',
    'antiX',
    'Kali',
    'Parrot OS',
    'neon',
    'Cumulus',
    'Deepin',
    'KDE neon',
    'IDMS',
    'TurnKey',
    'Pop',
    'AstraLinuxCE',
    'AstraLinuxSE',
    'Mendel',
    'OSMC',
  ],
  RedHat: [
    'Fedora',
    'Chapeau',
    'Korora',
    'FedBerry',
    'CentOS',
    'CentOS Stream',
    'GoOSe',
    'Scientific',
    'Amazon',
    'CloudLinux',
    'Virtuozzo',
    'AlmaLinux',
    'AlmaLinux Kitten',
    'OVS',
    'OEL',
    'XCP',
    'XCP-ng',
    'XenServer',
    'RES',
    'Sangoma',
    'VMware Photon OS',
    'ALT',
    'ScientificLinux',
    'Rocky',
    'Alinux',
    'openEuler',
  ],
  Suse: [
    'SLES',
    'SUSE Enterprise Server',
    'SUSE  Enterprise Server',
    'SLED',
    'openSUSE',
    'SUSE',
    'openSUSE Leap',
    'openSUSE Tumbleweed',
    'SLES_SAP',
  ],
  Arch: ['Arch ARM', 'Manjaro', 'Manjaro ARM', 'Antergos', 'EndeavourOS'],
  Mandriva: ['Mandrake'],
  VMware: ['VMwareESX'],
  Bluewhite: ['Bluewhite64'],
  Slackware: ['Slamd64'],
  Gentoo: ['Funtoo'],
}

const FAMILY_OF = new Map(Object.entries(FAMILIES).flatMap(([family, names]) => names.map((name) => [name, family])))

/** A system without a family is its own. */
export const familyOf = (os: string): string => FAMILY_OF.get(os) ?? os

/** The short name that Salt uses for a full one. */
export function osName(fullName: string, id?: string): string {
  const known = NAMES_BY_ID.get(`${id}/${fullName}`)
  if (known !== undefined) return known
  const linux = isAscii(fullName) ? /\W(?:gnu\/)?linux/gi : /[^\p{L}\p{N}_](?:gnu\/)?linux/giu
  const name = fullName.replaceAll(linux, '').trim()
  return OS_NAMES.get(name.replaceAll(' ', '').toLowerCase().slice(0, 10)) ?? name
}
