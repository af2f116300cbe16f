rule multiqc:
    input:
        expand("results/{sample}/run/virnucpro_mqc.json", sample=SAMPLES),
        expand("results/{sample}/run/virnucpro_scores_mqc.tsv", sample=SAMPLES),
    output:
        "results/multiqc/multiqc_report.html",
    log:
        "logs/multiqc.log",
    params:
        program=config["multiqc"],
    resources:
        mem_mb=config["report_mem_mb"],
        runtime=config["report_runtime"],
    shell:
        "{params.program} --force --outdir $(dirname {output:q}) --filename $(basename {output:q}) "
        "--dirs --no-data-dir {input:q} >{log} 2>&1"
