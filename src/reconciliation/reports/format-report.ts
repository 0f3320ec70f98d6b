import type { Report } from '../report';
import { csvReport } from './csv-report';
import { htmlReport } from './html-report';
import { textReport } from './text-report';

export const REPORT_FORMATS = ['text', 'json', 'csv', 'html'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** The complete report in one of the formats of `reconcile show`. */
export function formatReport(report: Report, format: ReportFormat): string {
  switch (format) {
    case 'text':
      return textReport(report);
    case 'json':
      return jsonReport(report);
    case 'csv':
      return csvReport(report);
    case 'html':
      return htmlReport(report);
  }
}

/** The report as one JSON document of `reportSchema`. */
const jsonReport = (report: Report): string => `${JSON.stringify(report, null, 2)}\n`;
