report_make() { mkdir -p $1/charts; touch $1/report.md $1/report.html; }
