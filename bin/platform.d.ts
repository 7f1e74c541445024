export interface Platform {
  name: string;
  os: 'linux' | 'darwin';
  cpu: 'x64' | 'arm64';
  libc: 'glibc' | 'musl' | undefined;
  bun: string;
}

export const platforms: Platform[];
export function platformFor(os: string, cpu: string, musl: boolean): Platform | undefined;
export function usesMusl(exists?: (path: string) => boolean): boolean;
