import { join } from 'node:path';
import type { Finder, FoundCheck } from '../types.ts';

export const findJvm: Finder = (directory, listing) => {
  const names = listing.names(directory);
  const gradle = ['build.gradle', 'build.gradle.kts'].find((name) => names.includes(name));
  const manifest = names.includes('pom.xml') ? 'pom.xml' : gradle;
  if (manifest === undefined) return [];
  const text = listing.read(join(directory, manifest)) ?? '';
  const place = { cwd: directory, source: join(directory, manifest) };
  return manifest === 'pom.xml' ? findMaven(names, text, place) : findGradle(names, text, place);
};

type Place = Pick<FoundCheck, 'cwd' | 'source'>;

function findMaven(names: readonly string[], text: string, place: Place): FoundCheck[] {
  const maven = names.includes('mvnw') ? './mvnw' : 'mvn';
  const call = (goal: string) => `${maven} -B -q ${goal}`;
  return [
    { name: 'types', command: call('test-compile'), ...place },
    ...(text.includes('maven-checkstyle-plugin')
      ? [{ name: 'lint' as const, command: call('checkstyle:check'), ...place }]
      : []),
    {
      ...{ name: 'tests', command: call('test'), ...place },
      reportFiles: ['target/surefire-reports/TEST-*.xml'],
    },
    ...(text.includes('dependency-check-maven')
      ? [{ name: 'security' as const, command: call('dependency-check:check'), ...place }]
      : []),
  ];
}

function findGradle(names: readonly string[], text: string, place: Place): FoundCheck[] {
  const gradle = names.includes('gradlew') ? './gradlew' : 'gradle';
  const call = (task: string) => `${gradle} --console=plain -q ${task}`;
  const lint = /\bdetekt\b/.test(text) ? 'detekt' : /\bktlint\b/.test(text) ? 'ktlintCheck' : undefined;
  const checkstyle = /\bcheckstyle\b/.test(text) ? 'checkstyleMain' : undefined;
  const linter = lint ?? checkstyle;
  return [
    { name: 'types', command: call('testClasses'), ...place },
    ...(linter === undefined ? [] : [{ name: 'lint' as const, command: call(linter), ...place }]),
    { name: 'tests', command: call('test'), ...place, reportFiles: ['build/test-results/test/*.xml'] },
  ];
}
