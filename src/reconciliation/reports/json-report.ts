import type { Report } from '../report';

/** The report as one JSON document of `reportSchema`. */
export const jsonReport = (report: Report): string => `${JSON.stringify(report, null, 2)}\n`;
